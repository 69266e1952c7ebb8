import { expect, it } from 'vitest'

import { loadSpecification } from '../../src/core/specification.ts'
import { defaultStorageAuthChoices as choices } from '../../src/storage-auth/choices.ts'
import { DOCUMENTED_STATUSES, deny, type StorageDenialKind } from '../../src/storage-auth/denials.ts'

const { operations } = loadSpecification('storage-auth/openapi.yaml')
const login = operations.find(({ operationId }) => operationId === 'createToken')

it.each(Object.keys(DOCUMENTED_STATUSES) as StorageDenialKind[])(
  'the status of %s is in the contract of every token endpoint',
  (kind) => {
    const { status } = deny(choices, kind)
    for (const operation of operations.filter(({ path }) => path.startsWith('/auth/')))
      expect(operation.responses.has(String(status)), operation.operationId).toBe(true)
  },
)

it('a 429 has the meaning that the contract lists', () => {
  const { rateMeaning } = deny(choices, 'request-rate', { limit: 10 })
  const meanings = login?.responses.get('429')?.source['x-rate-meaning']
  expect(meanings).toEqual([expect.objectContaining({ meaning: rateMeaning })])
})
