import { ConcordError } from '@concord/runtime'

/** The values of {@link DatabaseError.reason}. @public */
export type DatabaseFailure =
  | 'unavailable'
  | 'pool-exhausted'
  | 'timeout'
  | 'full'
  | 'denied'
  | 'schema'
  | 'unsupported'
  | 'lost'
  | 'failed'

/**
 * A database operation failed. A failed transaction stores nothing, unless `outcome` is `unknown`. A statement
 * outside of a transaction may store its change and still fail with the reason `unavailable`, whatever `outcome` is.
 *
 * @public
 */
export class DatabaseError extends ConcordError {
  static override readonly errorName: string = 'DatabaseError'

  readonly reason: DatabaseFailure
  /** How to fix the problem. */
  readonly remedy: string
  /**
   * `unknown` if the connection was lost during a commit, or if the database didn't respond in time. The change may
   * then have been stored.
   */
  readonly outcome: 'not-done' | 'unknown'
  /** PostgreSQL's SQLSTATE, or the code of a network error, such as `ECONNREFUSED`. */
  declare readonly sqlState?: string

  constructor(
    reason: DatabaseFailure,
    problem: string,
    options: {
      readonly remedy: string
      readonly outcome?: 'not-done' | 'unknown'
      readonly cause?: unknown
    },
  ) {
    const { remedy, outcome = 'not-done', cause } = options
    super('database', `${problem} ${remedy}`, { cause: withoutValues(cause) })
    this.reason = reason
    this.remedy = remedy
    this.outcome = outcome
    const code = cause instanceof DatabaseError ? cause.sqlState : codeOf(cause)
    if (code !== undefined) this.sqlState = code
  }
}

export function codeOf(error: unknown): string | undefined {
  const { code } = (error ?? {}) as { readonly code?: unknown }
  return typeof code === 'string' ? code : undefined
}

/** The SQLSTATE classes whose messages never quote stored values. */
const WITHOUT_VALUES = /^(08|25|28|3D|3F|40|42|53|55|57|58)[0-9A-Z]{3}$/

/** Replaces an error about data or constraints, because its message can quote values, which may be secret. */
function withoutValues(cause: unknown): unknown {
  const code = codeOf(cause)
  if (!(cause instanceof Error) || code?.length !== 5 || WITHOUT_VALUES.test(code)) return cause
  const copy = new Error(
    `PostgreSQL reported SQLSTATE ${code}. The message is omitted, because it can quote stored values.`,
  )
  return Object.assign(copy, { code })
}

/** The meanings of SQLSTATEs (PostgreSQL 18, appendix A) and network error codes. */
const MEANINGS: readonly (readonly [
  codes: RegExp,
  reason: DatabaseFailure,
  problem: string,
  remedy: string,
])[] = [
  [
    /^(57P0[1-5]|08[0-9A-Z]{3}|25P0[34])$/,
    'unavailable',
    'The database ended the connection.',
    'The database server may be restarting. Try again.',
  ],
  [
    /^(53300|53400)$/,
    'pool-exhausted',
    'The database accepts no further connections.',
    'Use smaller pools, fewer processes or a pooler in session mode, or raise `max_connections`.',
  ],
  [
    /^(57014|55P03)$/,
    'timeout',
    'The database canceled a statement that took too long.',
    'Look for slow statements and held locks in `pg_stat_activity`, or raise `statement_timeout` or `lock_timeout`.',
  ],
  [
    /^(53100|53200|54000|58030)$/,
    'full',
    'The database is out of disk space or memory.',
    'Free disk space or memory on the database server, then try again.',
  ],
  [
    /^(28[0-9A-Z]{3}|42501|3D000)$/,
    'denied',
    'The database denied access to this user.',
    "Check the database name, the user and password, and the user's rights on the schema. " +
      'If the user has no right to create tables, first run `migrate(pool, { schema, services })` as a user with this right.',
  ],
  [
    /^(42P01|42703|42883|3F000)$/,
    'schema',
    'The schema is missing, or was not created by this package.',
    'Run `migrate(pool, { schema, services })`, or pass another schema.',
  ],
  [
    /^25006$/,
    'unavailable',
    'The database is read-only; it may be a standby.',
    'Connect to the primary server.',
  ],
  [
    /^40[0-9A-Z]{3}$/,
    'failed',
    'The database aborted a transaction because it conflicted with another one.',
    'Try again.',
  ],
]

const NETWORK = /^(E[A-Z]+|SELF_SIGNED_.*|UNABLE_TO_.*|CERT_.*)$/

export function noConnection(cause?: unknown): DatabaseError {
  return new DatabaseError('pool-exhausted', 'No connection in the pool became free in time.', {
    remedy:
      'Raise `max` or `connectionTimeoutMillis` of the pool, or find the code that holds connections too long. ' +
      'If the server does not respond, check its host and port.',
    cause,
  })
}

/** Returns `undefined` if the error says that a schema or table doesn't exist. Otherwise, rethrows the error. */
export function isMissing(error: unknown): undefined {
  if (DatabaseError.is(error) && error.reason === 'schema') return undefined
  throw error
}

/** Turns an error from `pg` into a DatabaseError. Other errors are returned unchanged. */
export function explainDatabaseError(error: unknown): unknown {
  if (ConcordError.is(error)) return error
  const code = codeOf(error)
  const known = code === undefined ? undefined : MEANINGS.find(([codes]) => codes.test(code))
  if (known !== undefined) {
    const [, reason, problem, remedy] = known
    return new DatabaseError(reason, `${problem.slice(0, -1)} (${code}).`, { remedy, cause: error })
  }
  const message = error instanceof Error ? error.message : ''
  if (/timeout exceeded when trying to connect/.test(message)) return noConnection(error)
  if (
    (code !== undefined && NETWORK.test(code)) ||
    /Connection terminated|Client has encountered a connection error|not queryable|Cannot use a pool after/i.test(
      message,
    )
  )
    return new DatabaseError(
      'unavailable',
      `The database cannot be reached${code === undefined ? '' : ` (${code})`}.`,
      {
        remedy:
          'Check that the server is running, that the URL and TLS settings are correct, and that the pool is still open. Then try again.',
        cause: error,
      },
    )
  if (code?.length === 5)
    return new DatabaseError('failed', `The database rejected a statement (${code}).`, {
      remedy: 'See the `cause` of this error. If the schema was changed by hand, undo that change.',
      cause: error,
    })
  return error
}
