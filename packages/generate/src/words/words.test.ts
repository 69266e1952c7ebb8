import { readFileSync } from 'node:fs'
import { join } from 'node:path'

import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'

import { command, filesBelow, projectOf } from '../../test/support/command.ts'
import { problemsOf } from '../../test/support/problems.ts'
import { readService } from '../normalize/service.ts'
import type { Problem } from '../problems.ts'
import { parseSource, readSource } from '../read/source.ts'
import { services } from '../../test/support/services.ts'

const fixtures = join(import.meta.dirname, '../../test/fixtures')
const contract = readFileSync(join(fixtures, 'parcels/openapi.yaml'), 'utf8')
const feed = readFileSync(join(fixtures, 'parcels/asyncapi.yaml'), 'utf8')

/** A part of a contract, and its replacement. */
type Edit = readonly [from: string, to: string]

function edited(text: string, edits: readonly Edit[]): string {
  return edits.reduce((current, [from, to]) => {
    if (!current.includes(from)) throw new Error(`the contract has no ${JSON.stringify(from)}`)
    return current.replace(from, to)
  }, text)
}

const problemsWith = (edits: readonly Edit[]): Promise<readonly Problem[]> =>
  problemsOf(parseSource(edited(contract, edits), 'parcels/openapi.yaml'))
const feedProblemsWith = (edits: readonly Edit[]): Promise<readonly Problem[]> =>
  problemsOf(
    parseSource(contract, 'parcels/openapi.yaml'),
    parseSource(edited(feed, edits), 'parcels/asyncapi.yaml'),
  )

/** The number of the line in the edited contract that contains a string. */
const lineOf = (text: string, part: string) => text.slice(0, text.indexOf(part)).split('\n').length

it('accepts contracts whose words are right', async () => {
  expect(await problemsWith([])).toEqual([])
  expect(await feedProblemsWith([])).toEqual([])
})

it('accepts contracts whose path items are references', async () => {
  const document = parse(contract) as { paths: object; components: object }
  const names = Object.entries(document.paths).map(
    ([path, item], index) => [path, `Item${index}`, item] as const,
  )
  const moved = {
    ...document,
    paths: Object.fromEntries(
      names.map(([path, name]) => [path, { $ref: `#/components/pathItems/${name}` }]),
    ),
    components: {
      ...document.components,
      pathItems: Object.fromEntries(names.map(([, name, item]) => [name, item])),
    },
  }
  expect(await problemsOf(parseSource(JSON.stringify(moved), 'parcels/openapi.json'))).toEqual([])
})

it.each(services)('accepts the words of $name', async ({ openapi, asyncapi }) => {
  const read = (file: string) => readSource(join(import.meta.dirname, '../../../..', file), file)
  expect(await problemsOf(read(openapi), asyncapi === undefined ? undefined : read(asyncapi))).toEqual([])
})

/** The mistakes: the name, the edit, and a part of the reported reason. The line is that of `at`. */
const mistakes: readonly (readonly [name: string, edits: readonly Edit[], at: string, reason: string])[] = [
  ['a misspelled word', [['x-waiter:', 'x-waiterr:']], 'x-waiterr:', '`x-waiterr` has no effect; did you mean `x-waiter`?'],
  ['a word with two letters swapped', [['x-retry:', 'x-retyr:']], 'x-retyr:', '`x-retyr` has no effect; did you mean `x-retry`?'],
  ['a word on an object of another kind', [['description: A parcel on its way.', 'x-retry: { class: safe }']], 'x-retry: { class: safe }', '`x-retry` has no effect on a schema; it has an effect only on an operation'],
  ['a word on an object that no word is about', [['default: https://parcels.example', 'default: https://parcels.example\n        x-not-shown: [The host.]']], 'x-not-shown: [The host.]', '`x-not-shown` has no effect here'],
  ['a word among the responses', [["        '429':", "        x-secret: true\n        '429':"]], 'x-secret: true', '`x-secret` has no effect here'],
  ['a word beside a reference', [["$ref: '#/components/responses/TooMany'", "$ref: '#/components/responses/TooMany'\n          x-rate-meaning: [{ meaning: request-rate, retryHelps: true, when: Always. }]"]], 'x-rate-meaning: [', '`x-rate-meaning` has no effect beside `$ref`'],
  ['a secret on a security scheme', [['scheme: bearer', 'scheme: bearer\n      x-secret: true']], 'x-secret: true', '`x-secret` has no effect on a security scheme'],
  ['a secret on a header of a response', [['description: The code.', 'description: The code.\n              x-secret: true']], 'x-secret: true', '`x-secret` has no effect on a header of a response'],
  ['an empty list', [['failure: [lost]', 'failure: []']], 'failure: []', '`x-waiter`: `failure` must have at least one item'],
  ['a misspelled part of a word', [['pending: [sent]', 'pendin: [sent]']], 'pendin:', "`x-waiter`: `pendin` isn't a valid member; valid members: status, success, failure, pending, firstDelayMs, minDelayMs, maxDelayMs, limitMs; did you mean `pending`?"],
  ['a missing part of a word', [['        pending: [sent]\n', '']], 'x-waiter:', '`x-waiter`: `pending` is missing'],
  ['a failure that a waiter forgets', [['        failure: [lost]\n', '']], 'x-waiter:', 'the status can be `lost`, but no list of `x-waiter` contains this value'],
  ['an unknown class of x-retry', [['class: unsent-only', 'class: unsend-only']], 'class: unsend-only', "`x-retry`: `unsend-only` isn't one of safe, unsent-only, never; did you mean `unsent-only`?"],
  ['statuses of a call that is never sent again', [['class: unsent-only', 'class: never']], 'statuses: [429]', '`x-retry`: a call of class `never` is not sent again after any status'],
  ['an outcome that names an operation and another call', [['again: repeats', 'again: repeats\n        lookUp: getParcel']], 'x-outcome:', '`x-outcome`: it needs either `lookUp`'],
  ['a list that is a string', [['- Other fields.', 'Other fields.']], 'x-not-shown:\n        Other fields.', '`x-not-shown`: it must be an array'],
  ['a delay without its other end', [['        maxDelayMs: 4000\n', '']], 'x-waiter:', '`x-waiter`: `minDelayMs` requires `maxDelayMs`'],
  ['an open enum that is not one', [['x-open-enum: true', 'x-open-enum: false']], 'x-open-enum: false', '`x-open-enum`: it must be true or omitted'],

  ['a waiter for a value that is gone', [['enum: [sent, arrived, lost]', 'enum: [sent, arrived]'], ['              to: lost\n', '              to: arrived\n']], 'failure: [lost]', "`lost` isn't a value of the status; the allowed values are sent, arrived"],
  ['a waiter with a misspelled value', [['pending: [sent]', 'pending: [send]']], 'pending: [send]', "`send` isn't a value of the status; did you mean `sent`?"],
  ['a waiter that forgets a value', [['enum: [sent, arrived, lost]', 'enum: [sent, arrived, lost, held]'], ['              to: lost\n', '              to: lost\n            - from: sent\n              to: held\n']], 'x-waiter:', 'the status can be `held`, but no list of `x-waiter` contains this value'],
  ['a value in two lists', [['success: [arrived]', 'success: [arrived, lost]']], 'failure: [lost]', '`lost` is also in `success`'],
  ['a waiter for a status that no success has', [['status: /status', 'status: /state']], 'status: /state', 'no enum at "/state"'],
  ['a waiter on a call that changes something', [['        class: safe\n      x-waiter:', '        class: never\n      x-outcome: { again: harmless }\n      x-waiter:']], 'x-waiter:', 'only a `safe` operation can have `x-waiter`'],
  ['delays that are upside down', [['minDelayMs: 2000', 'minDelayMs: 9000']], 'minDelayMs: 9000', '`minDelayMs` (9000) is more than `maxDelayMs` (4000)'],
  ['a limit below the delay', [['limitMs: 60000', 'limitMs: 3000']], 'maxDelayMs: 4000', '`maxDelayMs` (4000) is more than `limitMs` (3000)'],
  ['a move out of a value that ends the wait', [['              to: lost\n', '              to: lost\n            - from: lost\n              to: sent\n']], 'failure: [lost]', '`lost` ends the wait, but `x-transitions` has a move from `lost` to `sent`'],
  ['a status without moves', [['            - from: sent\n              to: arrived\n            - from: sent\n              to: lost\n', ''], ['x-transitions:\n            - from: null\n              to: sent\n', 'description: A status.\n']], 'x-waiter:', 'has no `x-transitions`'],
  ['a move to a value that is not in the enum', [['              to: arrived\n', '              to: arived\n']], 'to: arived', "`arived` isn't a value of the enum; did you mean `arrived`?"],
  ['a value that no move leads to', [['            - from: sent\n              to: lost\n', '']], 'x-transitions:', 'no move leads to `lost`'],
  ['a move from a value that is not reached yet', [['            - from: null\n              to: sent\n', '']], '- from: sent', 'no earlier move leads to `sent`'],

  ['an outcome whose id a success may lack', [['id: /id', 'id: /code']], 'id: /code', 'a success response can lack "/code"'],
  ['an outcome that looks up by a misspelled id', [['again: repeats', 'lookUp: get-parcel']], 'lookUp: get-parcel', "`get-parcel` isn't the id of an operation; did you mean `getParcel`?"],
  ['an outcome that looks up by a call that changes something', [['again: repeats', 'lookUp: sendParcel']], 'lookUp: sendParcel', 'must name an operation that changes nothing, but the `x-retry` class of `sendParcel` is `unsent-only`'],
  ['a status to retry that is not among the responses', [['statuses: [429]', 'statuses: [429, 503]']], 'statuses: [429, 503]', "after 503, which isn't among the responses; correct the status, or add the response to `responses`: `'503': {"],
  ['a 429 that is retried although no meaning helps', [['retryHelps: true', 'retryHelps: false']], 'statuses: [429]', 'every meaning in `x-rate-meaning` says `retryHelps: false`'],
  ['a meaning on another status', [["        '429':\n          $ref:", "        '413':\n          $ref:"], ['statuses: [429]', 'statuses: [413]']], "'413':", '`x-rate-meaning` applies only to status 429, not to 413'],
  ['a meaning that comes too late', [['        - meaning: page-quota\n          retryHelps: false\n          when: The month is used up.\n          match: { pointer: /code, equals: month }\n        - meaning: request-rate\n          retryHelps: true\n          when: Otherwise.\n', '        - meaning: request-rate\n          retryHelps: true\n          when: Otherwise.\n        - meaning: page-quota\n          retryHelps: false\n          when: The month is used up.\n          match: { pointer: /code, equals: month }\n']], '- meaning: page-quota', 'move this meaning before all meanings without'],
  ['a meaning that no body matches', [['equals: month', 'equals: year']], '- meaning: page-quota', `the response's body can't have "year" at "/code"`],
  ['a meaning with a value of another type', [['                type: string\n                enum: [month, minute]', '                type: integer']], '- meaning: page-quota', `the response's body can't have "month" at "/code"`],
  ['a meaning in a response that no operation has', [["        '429':\n          $ref: '#/components/responses/TooMany'\n", ''], ['statuses: [429]', 'statuses: [409]'], ["        '201':", "        '409':\n          description: No.\n        '201':"]], 'x-rate-meaning:', 'no operation has this response'],

  ['a model without a row', [['enum: [van, bike]', 'enum: [van, bike, drone]']], 'requestBody:', '/parcels lists the model `drone`, which has no row in `x-models`'],
  ['a row for a model that is not listed', [['enum: [van, bike]', 'enum: [van]']], 'endpoints: [/parcels] # bike', "/parcels doesn't list the model `bike`"],
  ['a model that requires a field that is not there', [['[weight]', '[wieght]']], 'requiresOneOf:', "requires `wieght`, which the request of /parcels doesn't have; did you mean `weight`?"],
  ['a price that is upside down', [['{ min: 1, max: 2 }', '{ min: 3, max: 2 }']], 'credits: { min: 3', '`min` is more than `max`'],
  ['prices that nothing tells apart', [['when: far', 'when: near']], 'cost: # bike', '`cost` has more than one price'],
  ['a figure that is upside down', [['{ min: 1, max: 30 }', '{ min: 40, max: 30 }']], 'kilograms:', '`min` (40) is more than `max` (30)'],

  ['an open value that another keyword settles', [['description: Where it is.', 'description: Where it is.\n          format: uri']], 'x-not-shown: [Its form.]', '`format` describes the value; remove `x-not-shown` or `format`'],
  ['an open success that does not begin with its status', [['- The status of a success; 201 is written here.', '- The time that it takes.']], "'201':", 'begin with "The status"'],
  ['a secret that the contract states', [['x-secret: true', 'x-secret: true\n      const: abc']], 'x-secret: true', '`x-secret` hides this value, but the contract shows it in `const`'],
  ['a secret that nothing uses', [["          $ref: '#/components/schemas/Code'", '          type: string\n          description: A code.']], 'x-secret: true', '`x-secret` has no effect: nothing refers to this component'],
  ['an optional credential in OpenAPI', [['- url: \'{base_url}\'', '- url: \'{base_url}\'\n    x-security-optional: true']], 'x-security-optional', '`x-security-optional` has no effect in OpenAPI'],
] // prettier-ignore

describe('generation fails, with file, line and remedy, for', () => {
  it.each(mistakes)('%s', async (_, edits, at, reason) => {
    const found = await problemsWith(edits)
    const own = found.find((problem) => problem.reason.includes(reason))
    expect(own, JSON.stringify(found, undefined, 2)).toBeDefined()
    expect(own?.place.file).toBe('parcels/openapi.yaml')
    expect(own?.place.line).toBe(lineOf(edited(contract, edits), at))
  })

  it.each([
    ['rules of a channel that no client opens', [['address: /track', 'address: null']], '`x-socket-rules` has no effect: the channel has no address, so no client opens it'],
    ['rules that name another message', [['replay: [follow]', 'replay: [folow]']], 'the client sends no message `folow` on this channel; did you mean `follow`?'],
    ['an optional credential of a server that asks for no credential', [["    security:\n      - $ref: '#/components/securitySchemes/key'\n", '']], '`x-security-optional` has no effect: the server has no `security`'],
    ['a word on a message that is for operations', [['contentType: application/json', "contentType: application/json\n        x-retry: { class: safe }"]], '`x-retry` has no effect on a message'],
  ] as const)('%s', async (_, edits, reason) => {
    const found = await feedProblemsWith(edits as readonly Edit[])
    const own = found.find((problem) => problem.reason.includes(reason))
    expect(own, JSON.stringify(found, undefined, 2)).toBeDefined()
    expect(own?.place.file).toBe('parcels/asyncapi.yaml')
    expect(own?.place.line).toBeGreaterThan(1)
  }) // prettier-ignore
})

it('says nothing about x- words of others, in strict mode as well', async () => {
  const info = 'info:\n  x-logo: { url: logo.svg }\n  x-origin: []\n  x-twitter: parcels'
  expect(await problemsWith([['info:', info]])).toEqual([])
})

it('reports a misspelled part of a word without consequences of it', async () => {
  const found = await problemsWith([['class: unsent-only', 'clas: unsent-only']])
  expect(found.map(({ reason }) => reason).filter((reason) => reason.startsWith('`x-retry`:'))).toEqual([
    '`x-retry`: `class` is missing',
    "`x-retry`: `clas` isn't a valid member; valid members: class, statuses; did you mean `class`?",
  ])
})

it.each([
  ['a misspelled class', [['class: safe', 'class: save']], "`x-retry`: `save` isn't one of safe, unsent-only, never; did you mean `safe`?"],
  ['a misspelled status of a waiter', [['pending: [sent]', 'pending: [snet]']], "`snet` isn't a value of the status; did you mean `sent`?"],
  ['a reference to nothing below a waiter', [["$ref: '#/components/schemas/Parcel'", "$ref: '#/components/schemas/Parcell'"]], '`#/components/schemas/Parcell` is not in this file; correct the reference'],
] as const)('reports %s without consequences of it', async (_, edits, reason) => {
  const found = await problemsWith(edits as readonly Edit[])
  expect([...new Set(found.map((problem) => problem.reason))]).toEqual([reason])
}) // prettier-ignore

it('takes keys that begin with x- for data in examples, properties, headers and names of parts', async () => {
  const found = await problemsWith([
    ['value: { id: a, status: sent }', 'value: { id: a, status: sent, x-anything: 1 }'],
    ['        place:\n', '        x-place:\n          type: string\n        place:\n'],
    [
      '            Location:\n',
      '            x-request-id:\n              schema: { type: string }\n            Location:\n',
    ],
  ])
  expect(found).toEqual([])
})

it('accepts a waiter whose status never means a failure', async () => {
  const edits: readonly Edit[] = [
    ['        failure: [lost]\n', ''],
    ['enum: [sent, arrived, lost]', 'enum: [sent, arrived]'],
    ['            - from: sent\n              to: lost\n', ''],
  ]
  const model = await readService(parseSource(edited(contract, edits), 'parcels/openapi.yaml'))
  expect(model.operations.find(({ id }) => id === 'getParcel')?.waiter).toMatchObject({
    success: ['arrived'],
    failure: [],
    pending: ['sent'],
  })
})

it('ends the command with 2, names file and line, and writes nothing', async () => {
  const text = edited(contract, [['x-waiter:', 'x-waiterr:']])
  const service = { name: 'parcels', openapi: 'parcels/openapi.yaml', output: 'src/gen', strict: true }
  const folder = projectOf({
    'parcels/openapi.yaml': text,
    'concord.config.json': { services: [service] },
  })
  const { code, errors } = await command(folder, [])
  expect(code).toBe(2)
  expect(errors).toContain(
    `parcels/openapi.yaml:${lineOf(text, 'x-waiterr:')} #/paths/~1parcels~1{id}/get/x-waiterr`,
  )
  expect(errors).toMatch(/\nconcord-generate: no generated file was written\.$/)
  expect(filesBelow(folder)).toHaveLength(2)
})
