import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js'

import { extensionsSchema } from '../own-files.ts'
import type { ContractNode } from '../read/contract.ts'
import type { JsonObject } from '../read/json.ts'
import { pointerSegments } from '../read/pointer.ts'
import { closest, didYouMean } from './closest.ts'
import { type ContractObject, type ContractObjects, type Kind, KINDS } from './objects.ts'

/** The definition of an `x-` word in specs/extensions.schema.json. */
interface Definition {
  readonly 'x-allowed-on': readonly Kind[]
}

const schema = extensionsSchema as JsonObject
const definitions = new Map(
  Object.entries(schema['$defs'] as unknown as Record<string, Definition>).filter(([name]) =>
    name.startsWith('x-'),
  ),
)
const words = [...definitions.keys()]

const ajv = new Ajv2020({
  allErrors: true,
  verbose: true,
  strict: true,
  allowUnionTypes: true,
  strictRequired: false,
})
ajv.addVocabulary(['x-allowed-on'])
ajv.addSchema(schema)
const forms = new Map<string, ValidateFunction>()

function formOf(word: string): ValidateFunction {
  const known = forms.get(word)
  if (known) return known
  const form = ajv.compile({ $ref: `${String(schema['$id'])}#/$defs/${word}` })
  forms.set(word, form)
  return form
}

/**
 * Reports every `x-` word that is misspelled, has no effect at its place, or isn't well formed.
 *
 * @returns Copies of the objects, without the reported words and without words for other tools.
 */
export function checkForms({ objects, strays }: ContractObjects): ContractObject[] {
  for (const { word, node } of strays) if (isMeant(word)) node.note(reasonAgainst(word, undefined))
  return objects.map((object) => {
    const { kind, node } = object
    const wrong = Object.keys(node.raw).filter((word) => {
      if (!word.startsWith('x-')) return false
      if (definitions.get(word)?.['x-allowed-on'].includes(kind) !== true) {
        if (isMeant(word)) node.note(reasonAgainst(word, kind), word)
        return true
      }
      if ('$ref' in node.raw) {
        node.note(`\`${word}\` has no effect beside \`$ref\`; move it to the target of the reference`, word)
        return true
      }
      return !isWellFormed(word, node.at(word))
    })
    if (wrong.length === 0) return object
    const rest = Object.entries(node.raw).filter(([key]) => !wrong.includes(key))
    return { kind, node: node.with(Object.fromEntries(rest)) }
  })
}

/** Whether a word is probably meant for Concord. Contracts can also contain `x-` words for other tools. */
function isMeant(word: string): boolean {
  // The generator adds these markers when it reads a contract.
  if (word.startsWith('x-generate-')) return false
  return definitions.has(word) || meantWord(word) !== undefined
}

/** The known word that is closest to a misspelled word. The prefix `x-`, which all words share, doesn't count. */
function meantWord(word: string): string | undefined {
  const rest = (name: string) => name.slice('x-'.length)
  const meant = closest(rest(word), words.map(rest))
  return meant === undefined ? undefined : `x-${meant}`
}

function reasonAgainst(word: string, kind: Kind | undefined): string {
  const places = definitions.get(word)?.['x-allowed-on']
  if (!places) return `\`${word}\` has no effect; did you mean \`${String(meantWord(word))}\`?`
  const effective = places.map((place) => KINDS[place]).join(', ')
  const here = kind === undefined ? 'here' : `on ${KINDS[kind]}`
  return `\`${word}\` has no effect ${here}; it has an effect only on ${effective}`
}

function isWellFormed(word: string, node: ContractNode): boolean {
  const validate = formOf(word)
  if (validate(node.value)) return true
  const errors = (validate.errors ?? []).filter(
    ({ keyword, schemaPath }) => keyword !== 'if' && !/\/oneOf\/\d/.test(schemaPath),
  )
  for (const error of errors) {
    const extra: unknown = error.params['additionalProperty']
    const path = pointerSegments(error.instancePath)
    node.reject(`\`${word}\`: ${reasonOf(error)}`, ...path, ...(typeof extra === 'string' ? [extra] : []))
  }
  return false
}

function reasonOf(error: ErrorObject): string {
  const { keyword, instancePath: pointer, params, message = 'is not well formed', parentSchema } = error
  switch (keyword) {
    case 'additionalProperties': {
      const name = String(params['additionalProperty'])
      const known = Object.keys((parentSchema?.['properties'] ?? {}) as object)
      return `\`${name}\` isn't a valid member; valid members: ${known.join(', ')}${didYouMean(name, known)}`
    }
    case 'required':
      return `\`${String(params['missingProperty'])}\` is missing`
    case 'dependentRequired':
      return `\`${String(params['property'])}\` requires \`${String(params['missingProperty'])}\``
    case 'enum': {
      const allowed = (params['allowedValues'] as unknown[]).map(String)
      const name = String(error.data)
      return `\`${name}\` isn't one of ${allowed.join(', ')}${didYouMean(name, allowed)}`
    }
    case 'type': {
      const types = [error.schema]
        .flat()
        .map((type) => (/^[aeio]/.test(String(type)) ? `an ${type}` : `a ${type}`))
      return `${subject(pointer)} must be ${types.join(' or ')}`
    }
    case 'minItems':
      return `${subject(pointer)} must have at least one item`
    case 'const':
      return `${subject(pointer)} must be ${JSON.stringify(params['allowedValue'])} or omitted`
    case 'oneOf':
      return 'it needs either `lookUp` (the id of an operation that shows what became of the call) or `again`, but not both'
    case 'not':
      return 'a call of class `never` is not sent again after any status; leave `statuses` out'
    default:
      return `${subject(pointer)} ${message}`
  }
}

function subject(pointer: string): string {
  return pointer === '' ? 'it' : `\`${pointer.slice(1)}\``
}
