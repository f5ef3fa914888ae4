import { Comment, CommentTag, Converter, ReflectionKind } from 'typedoc'

/** The category of a name follows from the folder of its source. */
const categories = {
  verification: 'Verification',
  webhooks: 'Webhooks',
  errors: 'Errors',
  oidc: 'Sign-in',
  org: 'Roster',
  stores: 'Stores',
  frameworks: 'Frameworks',
  emulator: 'Emulator',
  msw: 'Emulator',
  'contract/verification': 'Verification',
  'contract/webhooks': 'Webhooks',
  'contract/errors': 'Errors',
  'contract/sign-in': 'Sign-in',
  'contract/organization': 'Roster',
}

export function load({ converter }) {
  converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
    for (const reflection of Object.values(project.reflections)) {
      if (!reflection.parent?.kindOf(ReflectionKind.Module) || reflection.kindOf(ReflectionKind.Reference)) continue
      const file = project.getSymbolIdFromReflection?.(reflection)?.fileName ?? reflection.sources?.[0]?.fileName ?? ''
      const folder = /\/src\/(.+)\/[^/]+$/.exec(file)?.[1] ?? /^src\/(.+)\/[^/]+$/.exec(file)?.[1] ?? ''
      const found = Object.keys(categories)
        .filter((name) => folder === name || folder.startsWith(`${name}/`))
        .sort((a, b) => b.length - a.length)[0]
      if (!found) continue
      reflection.comment ??= new Comment()
      const comments = [reflection.comment, ...(reflection.signatures ?? []).map((signature) => signature.comment)]
      for (const comment of comments.filter(Boolean))
        comment.blockTags.push(new CommentTag('@category', [{ kind: 'text', text: categories[found] }]))
    }
  })
}
