import type { Contract } from '../read/contract.ts'
import { globalTypeNames, schemaName, typeNamePattern } from './names.ts'
import type { PlainSchema } from './rules.ts'

/** The named types of a service, each with its schema, in the order in which they were defined. */
export class Definitions {
  readonly schemas = new Map<string, PlainSchema>()
  readonly #takenBy = new Map<string, string>()
  readonly #contract: Contract

  constructor(contract: Contract) {
    this.#contract = contract
  }

  /** Adds a type; `pointer` is the place that a problem with its name is reported at, in `contract`. */
  add(name: string, schema: PlainSchema, pointer: string, contract: Contract = this.#contract): void {
    const reason = this.#whyNot(name)
    if (reason !== undefined) contract.refuse(pointer, reason)
    this.schemas.set(name, schema)
    this.#takenBy.set(schemaName(name), name)
  }

  #whyNot(name: string): string | undefined {
    if (!typeNamePattern.test(name)) {
      return `\`${name}\` cannot be the name of a type; write it in PascalCase, with letters and digits only`
    }
    if (globalTypeNames.has(name))
      return `\`${name}\` is a name that the generated files need themselves; choose another`
    if (this.schemas.has(name)) {
      return (
        `the type \`${name}\` is defined twice; operations define <OperationId>Input, Output, Error and ` +
        'Response<status>, channels <ChannelId>Query, ClientMessage, ServerMessage and <Message>Payload'
      )
    }
    const other = this.#takenBy.get(schemaName(name))
    if (other === undefined) return undefined
    return `\`${name}\` and \`${other}\` would both have the schema \`${schemaName(name)}\``
  }
}
