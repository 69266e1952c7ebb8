import { Ajv2020 } from 'ajv/dist/2020.js'

import { escaped, isObject, objectAt } from '../document.ts'
import type { Json, JsonObject } from '../document.ts'
import { walk } from '../walk.ts'

/** Words that are unknown, badly formed, or stand where they may not. */
export function extensionProblems(document: JsonObject, words: JsonObject): string[] {
  const ajv = new Ajv2020({ allErrors: true, strict: true, allowUnionTypes: true, strictRequired: false })
  ajv.addVocabulary(['x-stands-at'])
  const validate = ajv.compile(words)
  const definitions = objectAt(words, '$defs')
  const problems: string[] = []
  const walked = new Set<string>()
  for (const { kind, pointer, value } of walk(document)) {
    walked.add(pointer)
    const own = Object.fromEntries(Object.entries(value).filter(([key]) => key.startsWith('x-')))
    if (!validate(own))
      for (const { instancePath, message } of validate.errors ?? [])
        problems.push(`${pointer}${instancePath}: ${message}`)
    for (const word of Object.keys(own)) {
      const kinds = objectAt(definitions, word)['x-stands-at']
      if (Array.isArray(kinds) && !kinds.includes(kind))
        problems.push(`${pointer}: ${word} is not allowed in a ${kind}`)
    }
  }
  for (const pointer of placesWithWords(document))
    if (!walked.has(pointer)) problems.push(`${pointer}: an x- word stands where none may`)
  return problems
}

/** Every object with an x- key, whether the walk knows its kind or not. Examples are data, and headers are named freely. */
function placesWithWords(value: Json, pointer = ''): string[] {
  if (Array.isArray(value))
    return value.flatMap((entry, index) => placesWithWords(entry, `${pointer}/${index}`))
  if (!isObject(value) || pointer.endsWith('/examples')) return []
  const words = pointer.endsWith('/headers') ? [] : Object.keys(value).filter((key) => key.startsWith('x-'))
  const deeper = Object.entries(value)
    .filter(([key]) => !words.includes(key))
    .flatMap(([key, entry]) => placesWithWords(entry, `${pointer}/${escaped(key)}`))
  return words.length > 0 ? [pointer, ...deeper] : deeper
}
