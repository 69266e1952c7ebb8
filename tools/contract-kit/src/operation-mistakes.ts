import type { FindingCode } from '@concord/contract'
import type { OperationDescriptor } from '@concord/runtime'
import type { CheckDescriptor } from '@concord/runtime/internal'

import type { GeneratedCode } from './generated-code.ts'

/** A mistake in the descriptor of an operation. */
export interface OperationMistake {
  readonly kind: string
  /** The finding that the contract tests must report. */
  readonly expect: FindingCode
  /** The id of the operation. */
  readonly about: string
  readonly code: GeneratedCode
}

const nothingFits: CheckDescriptor = {
  schema: () => ({
    '~standard': {
      version: 1,
      vendor: 'a mistake',
      validate: () => ({ issues: [{ message: 'never fits' }] }),
    },
  }),
}

/**
 * Returns copies of the generated code. Each copy has one mistake in the descriptor of one operation, such as a wrong
 * path or a lost parameter.
 */
export function operationMistakes(generated: GeneratedCode): readonly OperationMistake[] {
  return Object.entries(generated.operations).flatMap(([id, operation]) =>
    mistakesIn(operation, Object.values(generated.operations)).map(({ kind, expect, change }) => ({
      kind: `${kind} (${id})`,
      expect,
      about: id,
      code: { ...generated, operations: { ...generated.operations, [id]: { ...operation, ...change } } },
    })),
  )
}

interface Mistake {
  readonly kind: string
  readonly expect: FindingCode
  readonly change: Partial<OperationDescriptor>
}

function mistakesIn(operation: OperationDescriptor, all: readonly OperationDescriptor[]): readonly Mistake[] {
  return [
    ...addressMistakes(operation),
    ...serverMistakes(operation, all),
    ...credentialMistakes(operation, all),
    ...responseMistakes(operation),
    ...bodyMistakes(operation),
  ]
}

function addressMistakes({ path, method, parameters }: OperationDescriptor): readonly Mistake[] {
  const others = ['POST', 'GET', 'PUT', 'DELETE'] as const
  const unversioned = path.replace(/^\/v\d/, '')
  const otherMethod = others.find((one) => one !== method) ?? 'PUT'
  return [
    { kind: 'a wrong path', expect: 'path', change: { path: `${path}x` } },
    ...(unversioned === path
      ? []
      : [{ kind: 'a lost version prefix', expect: 'path', change: { path: unversioned } } as const]),
    { kind: 'a wrong method', expect: 'method', change: { method: otherMethod } },
    ...parameters
      .filter((one) => one.in !== 'path')
      .map((lost): Mistake => ({
        kind: `a lost ${lost.in} parameter ${lost.name}`,
        // The client rejects a query parameter that isn't in the descriptor, so no request arrives.
        expect: lost.in === 'query' ? 'attempts' : 'header',
        change: { parameters: parameters.filter((one) => one !== lost) },
      })),
  ]
}

function serverMistakes(
  { server }: OperationDescriptor,
  all: readonly OperationDescriptor[],
): readonly Mistake[] {
  const other = all.find((one) => one.server !== server)
  return other
    ? [{ kind: 'another server', expect: 'outside-base', change: { server: other.server as never } }]
    : []
}

function credentialMistakes(
  { security, securityOptional }: OperationDescriptor,
  all: readonly OperationDescriptor[],
): readonly Mistake[] {
  const schemes = [...new Set(all.flatMap((one) => one.security))]
  if (security.length === 0) {
    if (schemes.length === 0) return []
    return [{ kind: 'a credential on a public operation', expect: 'security', change: { security: schemes } }]
  }
  const lost: Mistake = { kind: 'lost security', expect: 'security', change: { security: [] } }
  if (securityOptional !== true) return [lost]
  return [
    lost,
    {
      kind: 'an optional credential that is required',
      expect: 'attempts',
      change: { securityOptional: false },
    },
  ]
}

function responseMistakes({ responses }: OperationDescriptor): readonly Mistake[] {
  const success = Object.keys(responses).find((status) => status.startsWith('2'))
  const response = success === undefined ? undefined : responses[success]
  if (success === undefined || response?.kind !== 'json' || !response.check) return []
  return [
    {
      kind: 'a response check that rejects everything',
      expect: 'drift',
      change: { responses: { ...responses, [success]: { ...response, check: nothingFits } } },
    },
    {
      kind: 'a response read as text',
      expect: 'outcome',
      change: { responses: { ...responses, [success]: { kind: 'text', contentType: 'text/plain' } } },
    },
  ]
}

function bodyMistakes({ body, check }: OperationDescriptor): readonly Mistake[] {
  if (!body) return []
  const lost: Mistake = {
    kind: 'a lost body',
    expect: body.required ? 'body' : 'content-type',
    change: { body: undefined as never },
  }
  if (body.kind !== 'json' || !check) return [lost]
  return [
    lost,
    { kind: 'a request check that rejects everything', expect: 'attempts', change: { check: nothingFits } },
    {
      kind: 'a wrong content type',
      expect: 'content-type',
      change: { body: { ...body, contentType: 'text/plain' } },
    },
  ]
}
