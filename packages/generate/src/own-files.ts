import { readFileSync } from 'node:fs'

/*
 * The build (tsdown.config.ts) evaluates this module and bundles the exported values. So the published package
 * doesn't read the files that are named below.
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

/** The string formats that Concord defines in addition to the standard ones, by name. */
export const formats: unknown = JSON.parse(read('../../../specs/formats.json'))
