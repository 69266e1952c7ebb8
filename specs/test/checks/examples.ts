import { atPointer, schemaOracle } from '../../../packages/spec-model/src/index.ts'
import { arrayOf, escaped, isObject, objectAt, objectOf, resolved, type JsonObject } from '../document.ts'
import { walk } from '../walk.ts'

/** Examples that their own schema rejects. */
export function invalidExamples(document: JsonObject): string[] {
  const judge = judgeOf(document)
  return examplesOf(document).flatMap(({ schemaPointer, pointer, value }) =>
    judge(schemaPointer, value).map((reason) => `${pointer}: ${reason}`),
  )
}

/** Places that need a named example with a summary and have none: bodies, responses and path parameters. */
export function missingExamples(document: JsonObject): string[] {
  return walk(document)
    .filter(({ kind }) => kind === 'mediaType' || kind === 'parameter')
    .filter(({ value }) => !('$ref' in value))
    .flatMap(({ pointer, value }) => {
      const examples = Object.entries(objectAt(value, 'examples'))
      if (examples.length === 0) return [`${pointer}: has no named example`]
      return examples
        .map(([name, example]) => [name, resolved(document, objectOf(example))] as const)
        .filter(([, example]) => typeof example['summary'] !== 'string' || !('value' in example))
        .map(([name]) => `${pointer}/examples/${name}: has no summary or no value`)
    })
}

/**
 * Responses without a media type: then the status has nothing that an example could show. A success may have none where
 * its `x-not-shown` says that the body is open.
 */
export function bodilessResponses(document: JsonObject): string[] {
  return walk(document)
    .filter(({ kind, pointer }) => kind === 'response' && !pointer.startsWith('/webhooks/'))
    .filter(({ value }) => Object.keys(objectAt(resolved(document, value), 'content')).length === 0)
    .filter(({ pointer, value }) => {
      const open = arrayOf(resolved(document, value)['x-not-shown'])
      const isOpen = open.some((sentence) => /^The body\b/.test(String(sentence)))
      return !(isOpen && /\/responses\/2\d\d$/.test(pointer))
    })
    .map(({ pointer }) => `${pointer}: has no body`)
}

/** Judges a value by the schema at a JSON Pointer of the document. */
export function judgeOf(document: JsonObject): (schemaPointer: string, value: unknown) => string[] {
  const oracle = schemaOracle({ document, file: 'the contract' })
  return (pointer, value) =>
    oracle
      .judge({ pointer, schema: atPointer(document, pointer) }, value)
      .map(({ path, reason }) => `${path || '/'} ${reason}`)
}

interface Example {
  readonly pointer: string
  readonly schemaPointer: string
  readonly value: unknown
}

function examplesOf(document: JsonObject): Example[] {
  return walk(document).flatMap(({ kind, pointer, value }): Example[] => {
    if (kind === 'schema' && Array.isArray(value['examples']))
      return value['examples'].map((example, index) => ({
        pointer: `${pointer}/examples/${index}`,
        schemaPointer: pointer,
        value: example,
      }))
    if (kind !== 'mediaType' && kind !== 'parameter') return []
    return Object.entries(objectAt(value, 'examples')).map(([name, example]) => ({
      pointer: `${pointer}/examples/${name}`,
      schemaPointer: `${pointer}/schema`,
      value: resolved(document, objectOf(example))['value'] ?? null,
    }))
  })
}

/** Example results whose `text_preview` is not the first 500 characters of the text. */
export function previewProblems(document: JsonObject): string[] {
  return objectsIn(document, '').flatMap(({ pointer, value }) => {
    const { text, text_preview: preview, text_url: url } = value
    if (typeof preview !== 'string') return []
    const characters = [...preview]
    const isStart =
      typeof text === 'string'
        ? preview === [...text].slice(0, 500).join('')
        : url === undefined || characters.length === 500
    return isStart ? [] : [`${pointer}: text_preview is not the start of the text`]
  })
}

function objectsIn(value: unknown, pointer: string): { pointer: string; value: JsonObject }[] {
  if (typeof value !== 'object' || value === null) return []
  const own = isObject(value) ? [{ pointer, value }] : []
  const deeper = Object.entries(value).flatMap(([key, entry]) =>
    objectsIn(entry, `${pointer}/${escaped(key)}`),
  )
  return [...own, ...deeper]
}
