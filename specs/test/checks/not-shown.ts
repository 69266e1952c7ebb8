import type { JsonObject } from '../document.ts'
import { schemasOf, walk } from '../walk.ts'

/** Schemas that say nothing about a value, and do not say either that this is because nothing is shown. */
export function silentOpenPlaces(document: JsonObject): string[] {
  const saying = ['type', '$ref', 'anyOf', 'oneOf', 'allOf', 'enum', 'const', 'required', 'x-not-shown']
  return schemasOf(document)
    .filter(({ value }) => !saying.some((keyword) => keyword in value))
    .map(({ pointer }) => `${pointer}: is open without x-not-shown`)
}

/** Open whole responses and bodies whose examples do not say that they are illustrations. */
export function unlabelledIllustrations(document: JsonObject): string[] {
  const open = new Set(
    schemasOf(document)
      .filter(({ value }) => 'x-not-shown' in value && !('properties' in value))
      .map(({ pointer }) => `#${pointer}`),
  )
  return walk(document)
    .filter(({ kind }) => kind === 'mediaType')
    .flatMap(({ pointer, value }) => {
      const reference = (value['schema'] as JsonObject | undefined)?.['$ref']
      if (typeof reference !== 'string' || !open.has(reference)) return []
      return Object.entries((value['examples'] ?? {}) as Record<string, JsonObject>)
        .filter(([, example]) => !/illustration/i.test(String(example['summary'])))
        .map(
          ([name]) =>
            `${pointer}/examples/${name}: shows an open place without saying that it is an illustration`,
        )
    })
}
