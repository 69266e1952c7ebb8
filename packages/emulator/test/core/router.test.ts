import { expect, it } from 'vitest'

import { createRouter } from '../../src/core/router.ts'

const PAGE = '/files/{token}/page-{page}.png'
const route = createRouter(
  ['GET /a/{id}', 'GET /a/b', 'POST /a/{id}', 'GET /a/', 'GET /a/{id}/c', `GET ${PAGE}`].map((text) => {
    const [method = '', path = ''] = text.split(' ')
    return { method, path }
  }),
)
const found = (method: string, path: string) => {
  const match = route(method, path)
  return match.found ? [match.found.path, { ...match.parameters }] : match.allowedMethods
}

it.each([
  ['a literal segment before a parameter', 'GET', '/a/b', ['/a/b', {}]],
  ['a parameter', 'GET', '/a/x', ['/a/{id}', { id: 'x' }]],
  ['a parameter if only it has the method', 'POST', '/a/b', ['/a/{id}', { id: 'b' }]],
  ['a trailing slash as a segment', 'GET', '/a/', ['/a/', {}]],
  ['no path without its trailing slash', 'GET', '/a', []],
  ['no path with another trailing slash', 'GET', '/a/b/', []],
  ['no empty parameter', 'GET', '/a//c', []],
  ['a decoded parameter, including a slash', 'GET', '/a/%C3%A9%2Fx', ['/a/{id}', { id: 'é/x' }]],
  ['no malformed encoding', 'GET', '/a/%E0%A4', []],
  ['parameters within a segment', 'GET', '/files/t/page-12.png', [PAGE, { token: 't', page: '12' }]],
  ['no segment with another literal', 'GET', '/files/t/page-12xpng', []],
  ['the methods that a path accepts', 'PUT', '/a/x', ['GET', 'POST']],
  ['no method for an unknown path', 'PUT', '/nowhere', []],
])('the router finds %s: %s %s', (_, method, path, expected) => {
  expect(found(method, path)).toEqual(expected)
})
