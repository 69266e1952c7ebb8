import ts from 'typescript'
import { beforeAll, describe, expect, it } from 'vitest'

import { print } from '../src/generate.ts'
import { schemaName } from '../src/normalize/names.ts'
import { copyPredicates } from '../src/emit/copy-predicates.ts'
import {
  type Schemas,
  accepted,
  departuresOf,
  documentOf,
  loadSchemas,
  modelOf,
  printed,
  testService,
} from './support/generated.ts'
import { loadQuick } from '../src/corpus/quick.ts'

/** Strings that would run `pwned()` if one of them became code, and some that would break a literal or a comment. */
const TEXTS = [
  "'+pwned()+'", '"+pwned()+"', '`+pwned()+`', '${pwned()}', '\\${pwned()}', "\\'+pwned()+\\'", String.raw`\u0027+pwned()+\u0027`,
  String.raw`\x27+pwned()+\x27`, '*/ pwned() /*', String.raw`*\/ pwned() /*`, '\\u002a/ pwned() /*', '\n*/ pwned()', '// \u2028 pwned()', '\u2029pwned()',
  '\r\npwned()', '</script><script>pwned()</script>', '\\', '\\\\', "'", '"', '`', '\0', '\u2028', 'StandInText0x', 'StandInLine1x pwned()', 'StandInType0x', 'standInSchema1x',
  '__proto_', 'a/b~c', '%', '%27', ']', ')', '/', '$&', "$'", '$1', '\ud800', '2.0', '007', '1e3', '0x10', '-1', '📄',
] // prettier-ignore

/** The strings as patterns, which match themselves. */
const PATTERNS = TEXTS.filter((text) => text.isWellFormed()).map((text) =>
  text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`),
)

const named = <Value>(values: readonly Value[]) =>
  Object.fromEntries(values.map((value, index) => [`T${index}`, value]))

const schemas = {
  ...named(TEXTS.map((text) => ({ type: 'string', const: text, title: text, description: text, default: text }))),
  Listed: { type: 'string', enum: TEXTS },
  Open: { type: 'string', enum: TEXTS, 'x-open-enum': true },
  Compared: { const: { [String(TEXTS[0])]: TEXTS } },
  Members: {
    type: 'object',
    additionalProperties: false,
    required: TEXTS,
    properties: Object.fromEntries(TEXTS.map((text) => [text, { type: 'integer', description: text, deprecated: true }])),
  },
  Excluded: {
    type: 'object',
    properties: Object.fromEntries(TEXTS.map((text) => [text, { type: 'integer' }])),
    not: { anyOf: TEXTS.slice(1).map((text) => ({ required: [TEXTS[0], text] })) },
  },
  Dependent: { type: 'object', dependentRequired: Object.fromEntries(TEXTS.map((text) => [text, TEXTS])) },
  Unknown: { type: 'object', properties: Object.fromEntries(TEXTS.map((text) => [text, {}])), unevaluatedProperties: false },
  ...Object.fromEntries(PATTERNS.map((pattern, index) => [`P${index}`, { type: 'string', pattern: `^${pattern}$` }])),
  Patterns: { type: 'object', patternProperties: Object.fromEntries(PATTERNS.map((pattern) => [`^${pattern}$`, { type: 'null' }])) },
  ...Object.fromEntries(TEXTS.map((text, index) => [`${text} ${index}`, { type: 'null' }])),
} // prettier-ignore

const operation = (text: string, index: number) => ({
  operationId: `${text}${index}`,
  summary: text,
  description: text,
  'x-not-shown': [text],
  tags: [text],
  parameters: [
    { name: text, in: 'query', description: text, schema: { type: 'string', default: text } },
    { name: 'X-Fixed', in: 'header', required: true, schema: { const: text } },
  ],
  requestBody: {
    description: text,
    content: { 'application/json': { schema: { type: 'string', title: text } } },
  },
  responses: {
    '200': {
      description: text,
      content: { 'application/json': { schema: { type: 'string', description: text } } },
    },
    '400': { description: text },
  },
})

const source = documentOf({
  info: { title: TEXTS.join(' '), version: TEXTS.join(' ') },
  paths: Object.fromEntries(TEXTS.map((text, index) => [`/${index}/${text.replaceAll(/[{}]/g, '')}`, { post: operation(text, index) }])),
  components: { schemas },
}) // prettier-ignore

describe('strings of a contract that look like code', () => {
  let files: ReadonlyMap<string, string>
  let loaded: Schemas
  let quick: Readonly<Record<string, (value: unknown) => boolean>>

  beforeAll(async () => {
    const model = await modelOf(source)
    expect(departuresOf(model)).toEqual([])
    files = await print(model, testService)
    loaded = await loadSchemas(await printed(model))
    quick = await loadQuick(model.schemas, model.schemas.keys())
  })

  it('become no code in any generated file, and every file can be parsed', () => {
    for (const [file, text] of files) {
      const { diagnostics } = ts.transpileModule(text, { reportDiagnostics: true, fileName: file })
      expect({ file, messages: diagnostics?.map(({ messageText }) => messageText) }).toEqual({
        file,
        messages: [],
      })
      const code: string[] = []
      const visit = (node: ts.Node): void => {
        if (ts.isIdentifier(node) && node.text.endsWith('pwned')) code.push(node.parent.getText())
        if (ts.isTemplateExpression(node)) code.push(node.getText())
        node.forEachChild(visit)
      }
      visit(ts.createSourceFile(file, withoutOwn(text), ts.ScriptTarget.ESNext, true))
      expect({ file, code }).toEqual({ file, code: [] })
    }
  })

  it('are accepted as exactly the values that they are', () => {
    const check = (type: string, yes: readonly unknown[], no: readonly unknown[]) => {
      const found = accepted(loaded, schemaName(type), [...yes, ...no])
      expect({ type, found }).toEqual({ type, found: yes })
      const quickly = [...yes, ...no].filter((value) => quick[type]?.(value))
      expect({ type, quickly }).toEqual({ type, quickly: yes })
    }
    const members = (value: unknown, texts: readonly string[] = TEXTS) =>
      Object.fromEntries(texts.map((text) => [text, value]))
    for (const [index, text] of TEXTS.entries()) check(`T${index}`, [text], [`${text}.`, ''])
    check('Listed', TEXTS, ['pwned()', ''])
    check('Compared', [{ [String(TEXTS[0])]: TEXTS }], [{ a: TEXTS }, TEXTS])
    check('Members', [members(1)], [members('1'), members(1, TEXTS.slice(1)), { ...members(1), a: 1 }])
    check(
      'Excluded',
      [members(1, TEXTS.slice(1)), {}],
      [members(1), { a: 1, ...members(1, TEXTS.slice(0, 2)) }],
    )
    check(
      'Dependent',
      [members(1), {}],
      TEXTS.map((text) => ({ [text]: 1 })),
    )
    check('Unknown', [members(1), {}], [{ other: 1 }])
    check(
      'Patterns',
      [members(null)],
      TEXTS.filter((text) => text.isWellFormed()).map((text) => ({ [text]: 1 })),
    )
  })

  it('are matched by patterns that are made of them', () => {
    for (const [index, text] of TEXTS.filter((each) => each.isWellFormed()).entries())
      expect(accepted(loaded, schemaName(`P${index}`), [text, `${text}.`])).toEqual([text])
  })
})

/** A generated text without the functions that this package copies into it. */
function withoutOwn(text: string): string {
  return copyPredicates(['isUri', 'isMapOf']).reduce((rest, copied) => rest.replace(copied, ''), text)
}
