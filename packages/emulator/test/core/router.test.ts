import { expect, it } from 'vitest'

import { createRouter } from '../../src/core/router.ts'

const route = createRouter(
  [
    'GET /a/{id}',
    'GET /a/b',
    'POST /a/{id}',
    'GET /a/',
    'GET /a/{id}/c',
    'GET /files/{token}/page-{page}.png',
  ].map((text) => {
    const [method = '', path = ''] = text.split(' ')
    return { method, path }
  }),
)
const found = (method: string, path: string) => {
  const match = route(method, path)
  return match.found ? [match.found.path, { ...match.parameters }] : match.allowedMethods
}

it('the router prefers a literal segment, regardless of the order', () => {
  expect(found('GET', '/a/b')).toEqual(['/a/b', {}])
  expect(found('GET', '/a/x')).toEqual(['/a/{id}', { id: 'x' }])
  expect(found('POST', '/a/b')).toEqual(['/a/{id}', { id: 'b' }])
})

it('the router treats a trailing slash as a segment, and rejects empty parameters', () => {
  expect(found('GET', '/a/')).toEqual(['/a/', {}])
  expect(found('GET', '/a')).toEqual([])
  expect(found('GET', '/a//c')).toEqual([])
  expect(found('GET', '/a/b/')).toEqual([])
})

it('the router decodes parameters, including slashes, and rejects a malformed encoding', () => {
  expect(found('GET', '/a/%C3%A9%2Fx')).toEqual(['/a/{id}', { id: 'é/x' }])
  expect(found('GET', '/a/%E0%A4')).toEqual([])
})

it('the router reads parameters within a segment', () => {
  expect(found('GET', '/files/t/page-12.png')).toEqual([
    '/files/{token}/page-{page}.png',
    { token: 't', page: '12' },
  ])
  expect(found('GET', '/files/t/page-12xpng')).toEqual([])
})

it('the router returns the methods that a path accepts', () => {
  expect(found('PUT', '/a/x')).toEqual(['GET', 'POST'])
  expect(found('PUT', '/nowhere')).toEqual([])
})
