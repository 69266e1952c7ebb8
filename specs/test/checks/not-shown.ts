import { isObject, objectAt, resolved } from '../document.ts'
import type { JsonObject } from '../document.ts'
import { schemasOf, walk } from '../walk.ts'

/** Keywords that settle what a value may be, beyond its type, its named properties and which of those are there. */
const settling = [
  'const',
  'format',
  'pattern',
  'minLength',
  'maxLength',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minItems',
  'maxItems',
  'uniqueItems',
  'minProperties',
  'maxProperties',
  'propertyNames',
  'patternProperties',
  'additionalProperties',
  'unevaluatedProperties',
  'default',
  'anyOf',
  'oneOf',
  'allOf',
  '$ref',
]

/** Schemas marked `x-not-shown` that settle something all the same. */
export function closedOpenPlaces(document: JsonObject): string[] {
  return schemasOf(document)
    .filter(({ value }) => 'x-not-shown' in value)
    .flatMap(({ pointer, value }) => {
      const keywords = settling.filter((keyword) => keyword in value)
      // At a status with documented moves, the open question is about the moves and not about the values.
      if ('enum' in value && value['x-open-enum'] !== true && !('x-transitions' in value))
        keywords.push('enum')
      return keywords.map((keyword) => `${pointer}: is open, but ${keyword} settles it`)
    })
}

/** Schemas that say nothing about a value, and do not say either that this is because nothing is shown. */
export function silentOpenPlaces(document: JsonObject): string[] {
  const saying = ['type', '$ref', 'anyOf', 'oneOf', 'allOf', 'enum', 'const', 'required', 'x-not-shown']
  return schemasOf(document)
    .filter(({ value }) => !saying.some((keyword) => keyword in value))
    .map(({ pointer }) => `${pointer}: is open without x-not-shown`)
}

/** Open whole answers and bodies whose examples do not say that they are illustrations. */
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

/** Successes whose `x-not-shown` does not speak of their status first: the mark there makes the status an open one. */
export function openStatusProblems(document: JsonObject): string[] {
  return walk(document)
    .filter(({ kind }) => kind === 'operation' || kind === 'webhook')
    .flatMap(({ pointer, value }) =>
      Object.entries(objectAt(value, 'responses')).flatMap(([status, response]) => {
        if (!status.startsWith('2') || !isObject(response)) return []
        const open = resolved(document, response)['x-not-shown']
        if (!Array.isArray(open) || /^The status\b/.test(String(open[0]))) return []
        return [
          `${pointer}/responses/${status}: x-not-shown of a success has to begin with its status ("The status ...")`,
        ]
      }),
    )
}
