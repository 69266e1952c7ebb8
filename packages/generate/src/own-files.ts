import { readFileSync } from 'node:fs'

/*
 * The content of files that the generator works with. The build evaluates this module and puts its exports into the package as
 * they are (tsdown.config.ts), so that the package reads no file of its own.
 */

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8')

/** The sources of the predicates that generated files get copies of. */
export const predicateSources: readonly { readonly file: string; readonly text: string }[] = [
  'src/checks/shapes.ts',
  'src/checks/predicates.ts',
  'src/checks/by-discriminator.ts',
].map((file) => ({ file, text: read(`../${file}`) }))

/** The definitions of the `x-` words. */
export const extensionsSchema: unknown = JSON.parse(read('../../../specs/extensions.schema.json'))

/** The formats that contracts define themselves, by name. */
export const formats: unknown = JSON.parse(read('../../../specs/formats.json'))
