import { expect, test } from 'vitest'

import { isObject, loadSpecification } from '../core/specification.ts'
import { defaultStorageAuthChoices as choices } from './choices.ts'
import { DOCUMENTED_MESSAGE, refusalMessage, refuse } from './refusals.ts'

const { operations } = loadSpecification('storage-auth/openapi.yaml')
const login = operations.find(({ operationId }) => operationId === 'createToken')

test.each([
  'invalid-body',
  'wrong-credentials',
  'no-password',
  'locked',
  'refresh-token-refused',
  'code-refused',
  'request-rate',
  'server-error',
] as const)('the status of %s is one that the contract has for every token endpoint', (kind) => {
  const { status } = refuse(choices, kind)
  for (const operation of operations.filter(({ path }) => path.startsWith('/auth/')))
    expect(operation.responses.has(String(status)), operation.operationId).toBe(true)
})

test('a 429 says what it means in the word of the contract, so that the emulator is held to it', () => {
  const { rateMeaning } = refuse(choices, 'request-rate', { limit: 10 })
  const meanings = login?.responses.get('429')?.source['x-rate-meaning']
  expect(meanings).toEqual([expect.objectContaining({ meaning: rateMeaning })])
})

test('the messages of a refused login are those of the contract, whatever is chosen', () => {
  const source = login?.responses.get('401')?.source
  const description = isObject(source) ? String(source['description']) : ''
  for (const message of Object.values(DOCUMENTED_MESSAGE)) expect(description).toContain(`\`${message}\``)
  const own = {
    ...choices,
    lockedMessageEnd: () => '!',
    errorBody: ({ message }: { message: string }) => message,
  }
  expect(refuse(own, 'locked').json).toBe('Account is temporarily locked!')
  expect(refusalMessage(own, 'wrong-credentials')).toBe('Invalid email or password')
})
