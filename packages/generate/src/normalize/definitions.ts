import type { Contract } from '../read/contract.ts'
import type { Json } from '../read/json.ts'
import { childPointer } from '../read/pointer.ts'
import { Contents } from './contents.ts'
import { familyOf } from './families.ts'
import { globalTypeNames, typeNamePattern } from './names.ts'
import type { PlainSchema } from './rules.ts'
import type { SchemaNames } from './schema-names.ts'
import { unionOf } from './union.ts'

/** Bodies that are written in less than this, as JSON, are easier to read than a reference to another type. */
const SHORT = 200

function schemaDoc({ description, deprecated }: PlainSchema): PlainSchema {
  return { ...(description !== undefined && { description }), ...(deprecated === true && { deprecated }) }
}

/** The named types of a service, each with its schema, in the order in which they were defined. */
export class Definitions {
  readonly schemas = new Map<string, PlainSchema>()
  readonly #names: SchemaNames
  /** The first type of each body, by its schema as JSON. */
  readonly #bodies = new Map<number, string>()
  readonly #contents = new Contents()

  constructor(names: SchemaNames) {
    this.#names = names
  }

  /** Adds the types of all components of a contract. */
  addComponents(contract: Contract, read: (raw: Json, pointer: string) => PlainSchema): void {
    for (const [key, raw] of Object.entries(contract.schemas)) {
      const pointer = childPointer('#/components/schemas', key)
      const name = contract.nameOf(pointer)
      if (!typeNamePattern.test(key))
        contract.note(
          pointer,
          `the name \`${key}\` isn't in PascalCase with letters and digits only; its type is called \`${name}\``,
        )
      else if (globalTypeNames.has(key))
        contract.note(
          pointer,
          `the generated files need the name \`${key}\` themselves; its type is called \`${name}\``,
        )
      else if (name !== key)
        contract.note(pointer, `the type \`${key}\` is defined twice; this one is called \`${name}\``)
      const schema = read(raw, pointer)
      const family = familyOf(contract, raw)
      if (family) this.schemas.set(family.base, schema)
      this.schemas.set(name, family ? { ...schemaDoc(schema), ...family.union } : schema)
    }
  }

  /** Adds a type. Its name is returned: the wanted one, unless another type has it. */
  add(wanted: string, schema: PlainSchema, pointer: string, contract: Contract): string {
    const name = this.#names.take(wanted)
    if (name !== wanted)
      contract.note(
        pointer,
        `the type \`${wanted}\` is defined twice; operations define <OperationId>Input, Output, Error and ` +
          'Response<status>, channels <ChannelId>Query, ClientMessage, ServerMessage and <Message>Payload',
      )
    this.schemas.set(name, schema)
    return name
  }

  /**
   * Adds the type of the body of a response. If an earlier one has an equal schema, it is another name of the same type: services
   * copy the bodies of their errors into every operation, thousands of times in all.
   */
  addBody(wanted: string, schema: PlainSchema, pointer: string, contract: Contract): string {
    const { id, length } = this.#contents.of(schema)
    const same = this.#bodies.get(id)
    if (same !== undefined)
      return this.add(wanted, { ...schemaDoc(schema), ...unionOf([same]) }, pointer, contract)
    const name = this.add(wanted, schema, pointer, contract)
    if (length >= SHORT) this.#bodies.set(id, name)
    return name
  }

  /** A name that no other type has, for a type that isn't made of a schema. */
  reserve(wanted: string): string {
    return this.#names.take(wanted)
  }

  /** Adds a type for every schema that something refers to and that isn't a component. */
  addReferred(contract: Contract, read: (raw: Json, pointer: string) => PlainSchema): void {
    for (const { found, name, owner } of this.#names.referred) {
      if (owner === contract && !this.schemas.has(name))
        this.schemas.set(name, read(found.raw, found.pointer))
    }
  }
}
