import { expect, it } from 'vitest'
import type { StandardIssue } from './check.ts'
import { explain, issueReason } from './issues.ts'

const TEXT = 'Invalid input'
const values = (at: string, ...listed: string[]) => ({
  message: TEXT,
  code: 'invalid_value',
  path: [at],
  values: listed,
})
const wrongType = (expected: string, ...path: readonly string[]) => ({
  message: TEXT,
  code: 'invalid_type',
  expected,
  path,
})
const missing = (at: string) => wrongType('string', at)
const union = (errors: readonly (readonly StandardIssue[])[], path: readonly string[] = ['body']) => ({
  message: TEXT,
  code: 'invalid_union',
  path,
  errors,
})

/** Explains these issues, in the form in which zod reports them. */
function said(value: unknown, ...issues: readonly StandardIssue[]) {
  return explain(issues, value, [])
}

const whole = { message: 'has another type', code: 'custom', path: [] }
const GUESS = ' (this is the closest of several allowed forms)'
const required = (at: string) => ({ path: `/body/${at}`, reason: 'is required: a string' })

it.each<[string, unknown, readonly (readonly StandardIssue[])[], unknown[]]>([
  [
    'the issues of the one branch that the value is meant for',
    { model: 'turbo' },
    [[values('model', 'small', 'large')], [missing('image')]],
    [required('image')],
  ],
  [
    'all listed values if the value matches none of its branches',
    { model: 'huge' },
    [[values('model', 'small', 'large')], [values('model', 'turbo'), missing('image')]],
    [{ path: '/body/model', reason: 'must be one of "small", "large", "turbo"' }],
  ],
  [
    'the issues of a union inside of it',
    { inner: { kind: 'a' } },
    [[union([[missing('n')], [values('kind', 'b')]], ['inner'])], [values('type', 'y')]],
    [{ path: '/body/inner/n' }],
  ],
  [
    'the issues of the only branch of the right type',
    {},
    [[wrongType('string')], [missing('a'), missing('b')], [wrongType('null')]],
    [required('a'), required('b')],
  ],
  [
    'the types of its branches if the value has none of them',
    7,
    [[wrongType('string')], [wrongType('array')], [wrongType('string')], [wrongType('null')]],
    [{ path: '/body', reason: 'must be a string or an array or null, not a number' }],
  ],
  [
    'the issues of the branch that the value comes closest to, and says so',
    { c: 'x' },
    [[missing('a'), missing('b')], [wrongType('number', 'c')], [wrongType('string')]],
    [{ path: '/body/c', reason: `must be a number, not a string${GUESS}` }],
  ],
  [
    'the issues of the closest branch of a union inside of the closest branch',
    { inner: { n: 'x' } },
    [[missing('a'), missing('b')], [union([[wrongType('number', 'n')], [wrongType('string')]], ['inner'])]],
    [{ path: '/body/inner/n', reason: `must be a number, not a string${GUESS}` }],
  ],
  [
    'the issues that all of its closest branches have in common',
    { a: 7 },
    [[wrongType('string', 'a')], [wrongType('string', 'a')], [missing('b'), missing('c')]],
    [{ path: '/body/a', reason: 'must be a string, not a number' }],
  ],
  [
    'the issues of a branch that has none about the value as a whole',
    {},
    [[whole], [missing('a'), missing('b')]],
    [{ path: '/body/a' }, { path: '/body/b' }],
  ],
])('R-05: a union reports %s', (_, body, errors, expected) => {
  expect(said({ body }, union(errors))).toMatchObject(expected)
})

it.each<[string, unknown]>([
  ['two branches match the listed values', [[missing('a')], [missing('b')]]],
  ['the branches list values at different places', [[values('a', 'x')], [values('b', 'y')]]],
  ['the validator reports no branches', undefined],
  ['it reports something other than branches', [{ a: 1 }]],
  ['there are none', []],
])('R-05: a union stays one reason if %s', (_, errors) => {
  expect(said({ body: {} }, union(errors as never))).toEqual([
    { path: '/body', reason: 'is none of the accepted forms' },
  ])
})

const silent = (details: object) => ({ message: 'Invalid input', ...details })

it.each([
  ['a message of its own', { message: 'must be a UUID' }, 'x', 'must be a UUID'],
  [
    'a missing value',
    silent({ code: 'invalid_type', expected: 'string' }),
    undefined,
    'is required: a string',
  ],
  ['a missing choice', silent({ values: ['a', 'b'] }), undefined, 'is required'],
  ['a wrong type', silent({ expected: 'string' }), 7, 'must be a string, not a number'],
  ['null', silent({ expected: 'object' }), null, 'must be an object, not null'],
  ['an array instead of a string', silent({ expected: 'string' }), [], 'must be a string, not an array'],
  ['a value other than the only valid one', silent({ values: ['queued'] }), 'x', 'must be "queued"'],
  ['a value other than the valid ones', silent({ values: ['a', 'b'] }), 'x', 'must be one of "a", "b"'],
  [
    'too few items',
    silent({ code: 'too_small', origin: 'array', minimum: 2 }),
    [],
    'must have at least 2 items',
  ],
  [
    'an empty list',
    silent({ code: 'too_small', origin: 'array', minimum: 1 }),
    [],
    'must have at least 1 item',
  ],
  [
    'too long a string',
    silent({ code: 'too_big', origin: 'string', maximum: 5 }),
    'long text',
    'must have at most 5 characters',
  ],
  [
    'too small a number',
    silent({ code: 'too_small', origin: 'number', minimum: 0, inclusive: false }),
    0,
    'must be more than 0',
  ],
  [
    'a string of another form',
    silent({ code: 'invalid_format', pattern: '/^https:/' }),
    'x',
    'must match /^https:/',
  ],
  [
    'unknown properties',
    silent({ code: 'unrecognized_keys', keys: ['x'] }),
    { x: 1 },
    'has unknown properties: "x"',
  ],
  ['no accepted form', silent({ code: 'invalid_union' }), 7, 'is none of the accepted forms'],
  ['an unknown kind of issue', silent({ code: 'custom' }), 7, 'Invalid input'],
])('R-05: explains %s, even for a validator without messages', (_what, issue, value, reason) => {
  expect(issueReason(issue, { at: value }, ['at'])).toBe(reason)
})

it('R-05: says what is missing on the way to a nested value', () => {
  expect(issueReason(silent({ expected: 'string' }), undefined, ['path', 'id'])).toBe('is required: a string')
})
