import { OptionsError } from '@concord/runtime'

/** A statement and its parameters. {@link sql} creates it, so that no value becomes part of the SQL string. */
export class Statement {
  readonly text: string
  readonly values: readonly Value[]

  /** @internal */
  constructor(text: string, values: readonly Value[]) {
    this.text = text
    this.values = values
  }
}

/** A quoted name, which {@link sql} inserts into the text of a statement. */
export class Identifier {
  readonly quoted: string

  /** @internal */
  constructor(...names: readonly string[]) {
    this.quoted = names.map((name) => `"${checkedName(name)}"`).join('.')
  }
}

/** A parameter. Arrays become PostgreSQL arrays; pass JSON as a string and cast it. */
export type Value =
  | string
  | number
  | boolean
  | null
  | Uint8Array
  | readonly string[]
  | readonly number[]
  | readonly (string | null)[]

/**
 * Makes a statement or a part of a statement. Every interpolated value becomes a parameter, except an {@link Identifier} and a
 * {@link Statement}, which become part of the text.
 *
 * @example
 * ```ts
 * sql`select body from ${schema.table('sessions')} where name = ${name}`
 * ```
 */
export function sql(
  parts: TemplateStringsArray,
  ...inserted: readonly (Value | Identifier | Statement)[]
): Statement {
  const values: Value[] = []
  let text = parts[0]!
  for (const [index, each] of inserted.entries()) {
    if (each instanceof Identifier) text += each.quoted
    else if (each instanceof Statement) {
      const before = values.length
      text += each.text.replaceAll(/\$(\d+)/g, (_, number) => `$${before + Number(number)}`)
      values.push(...each.values)
    } else text += `$${values.push(each)}`
    text += parts[index + 1]!
  }
  return new Statement(text, values)
}

export class Schema {
  readonly name: string

  /** @throws OptionsError */
  constructor(name: string) {
    this.name = checkedSchema(name)
  }

  get self(): Identifier {
    return new Identifier(this.name)
  }

  /** Returns the qualified name of a table, sequence, index or function. */
  table(name: string): Identifier {
    return new Identifier(this.name, name)
  }

  /**
   * Returns the name of a channel for LISTEN and NOTIFY. The name contains the schema's name, because all schemas of
   * a database share its channels.
   */
  channel(name: string): string {
    return checkedName(`${this.name}_${name}`)
  }
}

/**
 * A fleet with the schema `x` keeps its queue in the schema `x_queue`. The `schema` option must not end with this
 * suffix. Otherwise, a fleet could use the schema of another fleet's queue.
 */
export const QUEUE_SUFFIX = '_queue'

/** Leaves room for a suffix, because PostgreSQL truncates names to 63 bytes. */
const MAX_SCHEMA_LENGTH = 40

function checkedSchema(name: string): string {
  if (
    typeof name === 'string' &&
    name.length <= MAX_SCHEMA_LENGTH &&
    isPlain(name) &&
    !name.startsWith('pg_') &&
    !name.endsWith(QUEUE_SUFFIX)
  )
    return name
  throw new OptionsError(
    'schema',
    'is not a valid schema name.',
    `Pass a name of at most ${MAX_SCHEMA_LENGTH} lowercase letters, digits and underscores. The name must not start with a digit or \`pg_\`, and must not end with \`${QUEUE_SUFFIX}\`, which is reserved for the queues of fleets.`,
  )
}

/** Names come from the source code, so an invalid name is a bug. */
function checkedName(name: string): string {
  if (isPlain(name)) return name
  throw new TypeError(`${JSON.stringify(name)} cannot be used as a name in SQL.`)
}

const isPlain = (name: string): boolean => /^[a-z_][a-z0-9_]{0,62}$/.test(name)
