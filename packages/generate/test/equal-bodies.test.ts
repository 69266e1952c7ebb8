import { describe, expect, it } from 'vitest'

import { accepted, documentOf, loadSchemas, modelOf, printed } from './support/generated.ts'

const problem = (code: object = {}) => ({
  type: 'object',
  description: 'What went wrong.',
  required: ['code'],
  properties: {
    code: { type: 'string', minLength: 2, description: 'The reason.', ...code },
    fields: { type: 'array', items: { type: 'object', properties: { name: { type: 'string' } } } },
  },
})

function documentWith(bodies: Readonly<Record<string, object>>) {
  const paths = Object.entries(bodies).map(([operationId, schema]) => {
    const responses = { '204': { description: '' }, '400': { description: '', content: { 'application/json': { schema } } } }
    return [`/${operationId}`, { get: { operationId, responses } }]
  }) // prettier-ignore
  return documentOf({ paths: Object.fromEntries(paths) })
}

const read = (bodies: Readonly<Record<string, object>>) => modelOf(documentWith(bodies))

describe('equal bodies of several operations', () => {
  it('are one type under several names', async () => {
    const files = await printed(await read({ getOne: problem(), getTwo: problem(), getThree: problem() }))
    const types = files.get('types.gen.ts') ?? ''
    expect(types).toContain('export type GetOneResponse400 = {')
    expect(types).toContain('* What went wrong.\n */\nexport type GetTwoResponse400 = GetOneResponse400\n')
    expect(types).toContain('export type GetThreeResponse400 = GetOneResponse400\n')
    const schemas = await loadSchemas(files)
    const values = [{ code: 'a' }, { code: 'ab' }, { code: 'ab', fields: [1] }]
    expect(accepted(schemas, 'getThreeResponse400', values)).toEqual([{ code: 'ab' }])
  })

  it('have types of their own if anything differs, a description included', async () => {
    const others = { getTwo: problem({ minLength: 3 }), getThree: problem({ description: 'The cause.' }) }
    const { schemas } = await read({ getOne: problem(), ...others })
    expect(schemas.get('GetTwoResponse400')).toHaveProperty('properties')
    expect(schemas.get('GetThreeResponse400')).toHaveProperty('properties')
  })

  it('have types of their own if they are short', async () => {
    const id = { type: 'object', properties: { id: { type: 'string' } } }
    const { schemas } = await read({ getOne: id, getTwo: id })
    expect(schemas.get('GetTwoResponse400')).toEqual(schemas.get('GetOneResponse400'))
  })

  it('are each listed where they are widened', async () => {
    const wrong = problem({ pattern: String.raw`^a\z` })
    const { departures, fidelity } = await read({ getOne: wrong, getTwo: wrong })
    const widened = departures.filter(({ effect }) => effect === 'widened')
    expect(widened.map(({ place }) => place.pointer.split('/')[2])).toEqual(['~1getOne', '~1getTwo'])
    expect(fidelity.widened).toEqual(2)
  })
})
