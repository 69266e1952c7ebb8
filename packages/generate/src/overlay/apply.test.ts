import { expect, it } from 'vitest'

import { GenerationError } from '../problems.ts'
import { parseTree } from '../read/source.ts'
import { applyOverlays } from './apply.ts'

const document = parseTree(
  `openapi: 3.1.0
tags: [one, two, three]
servers:
paths:
  /a:
    get: { operationId: getA, tags: [one] }
  /b:
    get: { operationId: getB }
    post: { operationId: postB }
`,
  'openapi.yaml',
)

/** An overlay with these actions, the first one on line 4. */
const overlayOf = (actions: string, version = '1.1.0') =>
  parseTree(`overlay: ${version}\ninfo: { title: Test, version: '1' }\nactions:\n${actions}`, 'overlay.yaml')
const applied = (actions: string, version?: string) => applyOverlays(document, [overlayOf(actions, version)])

/** The message of the error that is thrown for some actions. */
function errorOf(actions: string, version?: string): string {
  try {
    applied(actions, version)
  } catch (error) {
    if (error instanceof GenerationError) return error.message
    throw error
  }
  return ''
}

it.each<[what: string, action: string, path: string, expected: unknown]>([
  ['an object is merged', `- { target: "$.paths['/a'].get", update: { x-retry: { class: safe }, operationId: readA } }`, 'paths./a.get', { operationId: 'readA', tags: ['one'], 'x-retry': { class: 'safe' } }],
  ['an object is merged at any depth', "- { target: $, update: { paths: { /a: { get: { summary: A } } } } }", 'paths./a', { get: { operationId: 'getA', tags: ['one'], summary: 'A' } }],
  ['lists are concatenated', "- { target: $, update: { tags: [four] } }", 'tags', ['one', 'two', 'three', 'four']],
  ['the items of a list are added to a list', '- { target: $.tags, update: [four, five] }', 'tags', ['one', 'two', 'three', 'four', 'five']],
  ['anything else is one new item of a list', '- { target: $.tags, update: four }', 'tags', ['one', 'two', 'three', 'four']],
  ['a plain value is replaced', `- { target: "$.paths['/a'].get.operationId", update: readA }`, 'paths./a.get.operationId', 'readA'],
  ['an empty member is filled', '- { target: $, update: { servers: [{ url: /v1 }] } }', 'servers', [{ url: '/v1' }]],
  ['an empty update changes nothing', '- { target: $, update: { tags: } }', 'tags', ['one', 'two', 'three']],
  ['every selected value is changed', '- { target: $.paths.*.get, update: { x: 1 } }', 'paths./b.get.x', 1],
  ['members and items are removed', "- { target: '$.tags[0,2]', remove: true }\n- { target: $.paths.*.post, remove: true }", 'tags', ['two']],
  ['what a filter selects is removed', "- { target: \"$.paths.*[?@.operationId == 'postB']\", remove: true }", 'paths./b', { get: { operationId: 'getB' } }],
  ['a value is copied', `- { target: "$.paths['/b'].get", copy: "$.paths['/a'].get" }`, 'paths./b.get', { operationId: 'getA', tags: ['one'] }],
  ['actions are applied in order', "- { target: $.tags, remove: true }\n- { target: $, update: { tags: [new] } }", 'tags', ['new']],
  ['a name with a meaning for objects is a name like others', '- { target: $.paths, update: { __proto__: { x: 1 } } }', 'paths.__proto__', { x: 1 }],
])('%s', (_, action, path, expected) => {
  const { source, notes } = applied(action)
  const at = path.split('.').reduce<unknown>((value, key) => Object.getOwnPropertyDescriptor(value, key)?.value, source.value)
  expect(at).toEqual(expected)
  expect(notes).toEqual([])
}) // prettier-ignore

it('leaves the document that it is applied to as it was', () => {
  const before = structuredClone(document.value)
  applied('- { target: $..operationId, update: x }\n- { target: $.tags, remove: true }')
  expect(document.value).toEqual(before)
})

it('knows of every value in which file and line it was written', () => {
  const { source } = applied(
    [
      '- target: $.paths.*.get',
      '  update:',
      '    summary: New.',
      '    parameters: [{ name: x }]',
      '- { target: "$.tags[0]", remove: true }',
      '- { target: $.tags, update: four }',
    ].join('\n'),
  )
  const place = (pointer: string) => {
    const { file, line } = source.place(pointer)
    return `${file}:${line}`
  }
  expect(place('#/paths/~1b/get/operationId')).toBe('openapi.yaml:8')
  expect(place('#/paths/~1b/get/summary')).toBe('overlay.yaml:6')
  expect(place('#/paths/~1a/get/parameters/0/name')).toBe('overlay.yaml:7')
  expect(source.place('#/tags/0')).toEqual({ file: 'openapi.yaml', pointer: '#/tags/1', line: 2 })
  expect(source.place('#/tags/0/missing/member').pointer).toBe('#/tags/1/missing/member')
  expect(source.place('#/tags/2')).toEqual({ file: 'overlay.yaml', pointer: '#/actions/2/update', line: 9 })
  expect(source.parts?.map(({ file }) => file)).toEqual(['openapi.yaml', 'overlay.yaml'])
})

it('notes a target that selects nothing, and goes on', () => {
  const { notes } = applied(`- { target: "$.paths['/c']", update: { x: 1 } }`)
  expect(notes).toEqual([
    {
      place: { file: 'overlay.yaml', pointer: '#/actions/0/target', line: 4 },
      reason: "`$.paths['/c']` selects nothing, so this action changes nothing",
    },
  ])
})

it.each([
  ['a target of another language', '- { target: $.a b, update: 1 }', 'overlay.yaml:4 #/actions/0/target\n    `$.a b` isn\'t a JSONPath of RFC 9535: expected'],
  ['a misspelled member', '- { target: $.tags, updaet: 1 }', 'overlay.yaml:4 #/actions/0/updaet\n    `updaet` isn\'t a valid member; did you mean `update`?'],
  ['an action that does nothing', '- { target: $.tags }', 'an action needs `update`, `copy` or `remove: true`'],
  ['an object for a list', '- { target: $, update: { paths: [1] } }', '`paths` is an object; a list can\'t be merged into it'],
  ['a string for an object', '- { target: $.paths, update: text }', 'a string can\'t be merged into an object'],
  ['an object for a string', "- { target: $.openapi, update: { a: 1 } }", 'an object can\'t be merged into a string'],
  ['a removal of everything', '- { target: $, remove: true }', "the whole document can't be removed"],
  ['a copy of several values', '- { target: $.paths, copy: $.tags.* }', '`$.tags.*` must select exactly one value, but selects 3'],
])('rejects %s, with file, line and reason', (_, action, message) => {
  expect(errorOf(action)).toContain(message)
}) // prettier-ignore

it('reads versions 1.0 and 1.1 only', () => {
  expect(errorOf('- { target: $.tags, update: four }', '1.0.0')).toBe('')
  expect(errorOf('- { target: $.tags, copy: $.tags }', '1.0.0')).toContain('`copy` requires version 1.1')
  expect(errorOf('- { target: $.tags, update: four }', '1.2.0')).toContain(
    'only overlays of version 1.0 and 1.1 are read',
  )
})

it('finds values at any depth', () => {
  const deep = parseTree(
    JSON.stringify({ a: JSON.parse(`${'['.repeat(200)}{"x":1}${']'.repeat(200)}`) }),
    'deep.json',
  )
  const { source } = applyOverlays(deep, [overlayOf('- { target: $..x, update: 2 }')])
  expect(JSON.stringify(source.value)).toContain('{"x":2}')
})
