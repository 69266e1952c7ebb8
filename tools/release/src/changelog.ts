/** The part of a changeset that goes into a changelog. */
interface Changeset {
  readonly summary: string
}

/** A workspace package that is released together with a package that depends on it. */
interface DependencyRelease {
  readonly name: string
  readonly newVersion: string
}

/**
 * Formats an entry of a changelog. Each paragraph becomes one line, because release pages preserve line breaks. Commit
 * ids are left out, since they mean nothing to the users of a package.
 */
async function getReleaseLine({ summary }: Changeset): Promise<string> {
  const [first = '', ...rest] = paragraphs(summary)
  return [`- ${indent(first)}`, ...rest.map((paragraph) => `  ${indent(paragraph)}`)]
    .join('\n\n')
    .concat('\n')
}

async function getDependencyReleaseLine(
  _changesets: readonly Changeset[],
  dependencies: readonly DependencyRelease[],
): Promise<string> {
  if (dependencies.length === 0) return ''
  return `- Uses ${dependencies.map(({ name, newVersion }) => `\`${name}\` ${newVersion}`).join(', ')}.`
}

/** Returns the paragraphs of a string, without comments. Each is on one line, except for lists, tables and code. */
function paragraphs(text: string): string[] {
  const shown = text.replaceAll(/<!--[\s\S]*?-->/g, '').trim()
  const blocks = shown.match(/```[\s\S]*?```|(?:(?!\n\n|```)[\s\S])+/g) ?? []
  return blocks
    .map((block) => block.trim())
    .filter(Boolean)
    .map((block) => (/^(?:```|[-*|>#]|\d+\.)/m.test(block) ? block : block.replaceAll(/\s*\n\s*/g, ' ')))
}

const indent = (block: string): string => block.replaceAll('\n', '\n  ')

export default { getReleaseLine, getDependencyReleaseLine }
