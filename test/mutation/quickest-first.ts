import { relative } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** A run ends with the first test that fails, so the files that take long come last. */
export class QuickestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { cache, config } = this.ctx
    const durationOf = ({ project, moduleId }: TestSpecification) =>
      cache.getFileTestResults(`${project.name}:${relative(config.root, moduleId)}`)?.duration ?? 0
    return [...files].sort((a, b) => durationOf(a) - durationOf(b))
  }
}
