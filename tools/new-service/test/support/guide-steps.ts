/** A step of a guide: a file to write, or commands to run in a shell. */
type GuideStep =
  | { readonly kind: 'file'; readonly path: string; readonly text: string }
  | { readonly kind: 'run'; readonly commands: string; readonly prints: readonly string[] }

/**
 * Reads the steps of a guide from its fenced blocks, in their order: `sh` blocks are commands, blocks of any language with
 * `file=PATH` are files, and a `text` block lists lines that the commands before it print. Other blocks are for reading.
 *
 * @throws Error for a `text` block without commands before it
 */
export function guideSteps(markdown: string): readonly GuideStep[] {
  const steps: GuideStep[] = []
  for (const [, info = '', text = ''] of markdown.matchAll(/^```(\S.*)\n([^]*?)^```$/gm)) {
    const [language, file] = info.split(' file=')
    if (file !== undefined) steps.push({ kind: 'file', path: file, text })
    else if (language === 'sh') steps.push({ kind: 'run', commands: text, prints: [] })
    else if (language === 'text') {
      const last = steps.pop()
      if (last?.kind !== 'run')
        throw new Error('a `text` block of a guide must follow the commands that print it')
      steps.push({ ...last, prints: text.trimEnd().split('\n') })
    }
  }
  return steps
}
