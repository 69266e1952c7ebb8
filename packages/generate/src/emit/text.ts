import type { ServiceModel } from '../normalize/model.ts'
import type { Source } from '../read/source.ts'

/** The first line of every generated file. */
export function header(model: ServiceModel): string {
  return `// Generated from ${filesOf(model)
    .map(({ file }) => file)
    .join(' and ')} by @concord/generate. Do not edit.\n`
}

/** The files from which a service was read, without duplicates. */
export function filesOf({ sources }: ServiceModel): readonly Source[] {
  const files = sources.flatMap((source) => source.parts ?? [source])
  return files.filter(({ file }, index) => files.findIndex((other) => other.file === file) === index)
}

/** Prints an import or export of names, on one line if it fits. */
export function importNames(
  kind: 'import' | 'import type' | 'export' | 'export type',
  names: Iterable<string>,
  from: string,
): string {
  const sorted = [...new Set(names)].sort()
  if (sorted.length === 0) return ''
  const line = `${kind} { ${sorted.join(', ')} } from '${from}'`
  return line.length <= 110
    ? `${line}\n`
    : `${kind} {\n${sorted.map((name) => `  ${name},`).join('\n')}\n} from '${from}'\n`
}

export function comment(paragraphs: readonly (string | undefined)[], indent = ''): string {
  const lines = paragraphs
    .filter((paragraph) => paragraph !== undefined)
    .filter((paragraph) => paragraph !== '')
    // A paragraph can contain the characters that end a comment, for example in the media range `*/*`.
    .map((paragraph) => paragraph.replaceAll('*/', String.raw`*\/`))
    .flatMap((paragraph, index) => [...(index === 0 ? [] : ['']), ...paragraph.split('\n')])
  const [first = '', second] = lines
  if (lines.length === 0) return ''
  if (second === undefined && first.length + indent.length < 100) return `${indent}/** ${first} */\n`
  return [`${indent}/**`, ...lines.map((line) => `${indent} * ${line}`.trimEnd()), `${indent} */`, ''].join(
    '\n',
  )
}

/** Makes a file a module, even if the file has no imports and no other exports. */
export const noExports = '\nexport {}\n'
