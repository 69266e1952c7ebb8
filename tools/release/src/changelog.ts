/** The parts of a changeset that a changelog is written from. */
interface Changeset {
  readonly summary: string
}

/** A package of the workspace that is released together with one that depends on it. */
interface DependencyRelease {
  readonly name: string
  readonly newVersion: string
}

/**
 * An entry of a changelog. Each paragraph becomes one line, because the page of a release shows line breaks as they are. Ids of
 * commits are left out: they say nothing to the users of a package.
 */
async function getReleaseLine({ summary }: Changeset): Promise<string> {
  const [first = '', ...rest] = paragraphs(summary)
  return [`- ${indent(first)}`, ...rest.map((paragraph) => `  ${indent(paragraph)}`)]
    .join('\n\n')
    .concat('\n')
}

/** One line about the packages of the workspace whose new versions this one needs. */
async function getDependencyReleaseLine(
  _changesets: readonly Changeset[],
  dependencies: readonly DependencyRelease[],
): Promise<string> {
  if (dependencies.length === 0) return ''
  return `- Uses ${dependencies.map(({ name, newVersion }) => `\`${name}\` ${newVersion}`).join(', ')}.`
}

/** The paragraphs of a string without comments, each on one line unless it is a list, a table or code. */
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
