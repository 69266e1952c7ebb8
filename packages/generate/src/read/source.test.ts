import { describe, expect, it } from 'vitest'

import { GenerationError } from '../problems.ts'
import { parseTree } from './source.ts'

/** The same document twice: as JSON, and in a form that only the YAML parser reads. */
const readers = [
  ['JSON', (text: string) => parseTree(text, 'openapi.json')],
  ['YAML', (text: string) => parseTree(`# A comment.\n${text}`, 'openapi.yaml')],
] as const

const text = `{
  "openapi": "3.1.0", "a/b": { "~": 1,
    "tag": "<script>", "quoted\\"name": [
      "one \\\\", {"deep": [1e5, -0, {"x": null}]},

      true
    ], "\\u0061bc": {}
  },
  "empty": [ ], "last"
    : ""
}
`
const pointers = [
  '#',
  '#/openapi',
  '#/a~1b',
  '#/a~1b/~0',
  '#/a~1b/quoted"name',
  '#/a~1b/quoted"name/0',
  '#/a~1b/quoted"name/1/deep/2/x',
  '#/a~1b/quoted"name/2',
  '#/a~1b/quoted"name/7',
  '#/a~1b/abc/missing',
  '#/a~1b/tag/0',
  '#/empty/0',
  '#/last',
]

describe('parseTree', () => {
  it('reads JSON to the same values and lines as YAML', () => {
    const [json, yaml] = readers.map(([, read]) => read(text))
    expect(json!.value).toEqual(yaml!.value)
    for (const pointer of pointers) {
      const line = yaml!.place(pointer).line
      expect(json!.place(pointer).line, pointer).toEqual(line === undefined ? undefined : line - 1)
    }
    expect(json!.place('#/a~1b/quoted"name/2').line).toEqual(6)
  })

  it('finds lines that end with a carriage return and a line feed', () => {
    expect(parseTree(text.replaceAll('\n', '\r\n'), 'openapi.json').place('#/last').line).toEqual(9)
  })

  it('finds lines in JSON with a line separator in a string', () => {
    expect(parseTree('{\n"openapi": "\u2028",\n"info": {}\n}', 'openapi.json').place('#/info').line).toEqual(
      3,
    )
  })

  it.each([
    ['a name twice', '{\n"openapi": "3.1.0",\n"info": {},\n"info": {}\n}', 'Map keys must be unique', 4],
    ['a name twice, once escaped', '{ "info": {},\n "inf\\u006f": {} }', 'Map keys must be unique', 2],
    ['nesting that is too deep', `{\n"a":${'['.repeat(600)}${']'.repeat(600)} }`, 'nested too deeply', 2],
    ['a missing comma', '{\n"openapi": "3.1.0"\n"info": {} }', 'Missing , between', 3],
  ])('reports %s in JSON with its line', (_, wrong, reason, line) => {
    let thrown: unknown
    try {
      parseTree(wrong, 'openapi.json')
    } catch (error) {
      thrown = error
    }
    const problems = thrown instanceof GenerationError ? thrown.problems : []
    expect(problems[0]?.reason).toContain(reason)
    expect(problems[0]?.place.line).toEqual(line)
  })

  it('reads a name that every object has as any other name', () => {
    const { value } = parseTree('{ "openapi": "3.1.0", "__proto__": { "x": 1 } }', 'openapi.json')
    expect(Object.keys(value)).toEqual(['openapi', '__proto__'])
  })
})
