import type { Contract, ContractNode } from '../read/contract.ts'
import { type Json, type JsonObject, asList, asObject, combinedIn, isObject } from '../read/json.ts'
import { pointerSegments } from '../read/pointer.ts'

/** A member of a body, as the body's schema or one of its branches (`anyOf`, `oneOf`, `allOf`) declares it. */
export interface Member {
  readonly schema: JsonObject
  /** Whether the member and each object on the path to it are required. */
  readonly required: boolean
}

/** The body schema of an operation's first documented success response. */
export function successBody(operation: ContractNode): Json | undefined {
  const responses = operation.at('responses').members()
  const success = responses.find(([status]) => status.startsWith('2'))
  return success && bodyOf(success[1])
}

/** The schema of the first media type of a response or a request body. */
export function bodyOf(entry: ContractNode): Json | undefined {
  const [content] = entry.follow().at('content').members()
  return content?.[1].raw['schema']
}

/** Whether a schema is a reference without a target. Another check reports such references. */
export function isMissing(contract: Contract, schema: Json | undefined): boolean {
  return '$ref' in contract.resolveObject(schema)
}

/** Finds the member at a JSON pointer in each branch of a body's schema. Leaves out branches without this member. */
export function membersAt(contract: Contract, body: Json | undefined, pointer: string): readonly Member[] {
  let found: Member[] = alternatives(contract, body).map((schema) => ({ schema, required: true }))
  for (const name of pointerSegments(pointer)) {
    found = found.flatMap(({ schema, required }) => {
      const properties = asObject(schema['properties'])
      if (!Object.hasOwn(properties, name)) return []
      const always = required && asList(schema['required']).includes(name)
      return alternatives(contract, properties[name]).map((inner) => ({ schema: inner, required: always }))
    })
  }
  return found
}

/** The alternatives of a schema: the branches of its `anyOf`, `oneOf` and `allOf`, or else the schema itself. */
function alternatives(contract: Contract, raw: Json | undefined): JsonObject[] {
  const schema = contract.resolve(raw ?? null)
  if (!isObject(schema)) return []
  const branches = combinedIn(schema, ['anyOf', 'oneOf', 'allOf'])
  return branches.length === 0 ? [schema] : branches.flatMap((branch) => alternatives(contract, branch))
}

export function strings(value: Json | undefined): readonly string[] {
  return asList(value).filter((entry) => typeof entry === 'string')
}
