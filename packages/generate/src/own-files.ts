import { readFileSync } from 'node:fs'

/*
 * The content of files that the generator works with. The build evaluates this module and puts the values of its
 * exports into the package (tsdown.config.ts), so the published package reads none of these files.
 */

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8')

/** The sources of the predicates that are copied into generated files. */
export const predicateSources: readonly { readonly file: string; readonly text: string }[] = [
  'src/checks/shapes.ts',
  'src/checks/predicates.ts',
  'src/checks/by-discriminator.ts',
].map((file) => ({ file, text: read(`../${file}`) }))

/** The JSON Schema of the `x-` members of contracts. */
export const extensionsSchema: unknown = JSON.parse(read('../../../specs/extensions.schema.json'))

/** The formats that contracts define themselves, by name. */
export const formats: unknown = JSON.parse(read('../../../specs/formats.json'))
