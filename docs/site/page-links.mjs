import { Converter } from 'typedoc'

/** Makes a link of each page that a docstring names by its path in the package, as in `@see docs/guides/webhooks.md`. */
export function load({ converter }) {
  converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
    for (const reflection of Object.values(project.reflections)) {
      const comments = [reflection.comment, ...(reflection.signatures ?? []).map(({ comment }) => comment)]
      for (const tag of comments.flatMap((comment) => comment?.getTags('@see') ?? []))
        for (const part of tag.content)
          part.text = part.text.replace(/docs\/[\w/-]+\.md(?:#[\w-]+)?/g, linkTo)
    }
  })
}

function linkTo(page) {
  const [path, anchor] = page.split('#')
  const words = (
    anchor ??
    path
      .replace(/(?:\/README)?\.md$/, '')
      .split('/')
      .at(-1)
  ).replaceAll('-', ' ')
  const title = words.charAt(0).toUpperCase() + words.slice(1)
  return `[${title}](/${path.replace(/README\.md$/, '').replace(/\.md$/, '')}${anchor ? `#${anchor}` : ''})`
}
