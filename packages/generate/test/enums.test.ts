import { join } from 'node:path'

import { describe, expect, it } from 'vitest'

import { inFolder } from '../src/corpus/scratch.ts'
import { parseSource } from '../src/read/source.ts'
import { typeCheck } from './support/compiler.ts'
import { modelOf, printed, schemasOf } from './support/generated.ts'

const color = { type: 'string', enum: ['r', 'g'] }
const schemas = {
  Color: { ...color, 'x-enum-varnames': ['Red', 'Light Green'] },
  Level: { type: 'integer', enum: [1, 2], 'x-enumNames': ['Low', 'High'] },
  Size: {
    oneOf: [
      { const: 's', title: 'Small' },
      { const: 'l', title: 'Large' },
    ],
  },
  ColorValues: { type: 'string' },
  Plain: color,
  Mixed: { oneOf: [{ const: 's', title: 'Small' }, { const: 'l' }] },
}

describe('an enum whose values have names', () => {
  it('has an object with them, whose name is free', async () => {
    const model = await modelOf(schemasOf(schemas))
    const consumer = `
import { type Color, ColorValues2, type Level, LevelValues, type Size, SizeValues } from './index.gen.ts'

export const colors: Color[] = [ColorValues2.Red, ColorValues2['Light Green']]
export const levels: Level[] = Object.values(LevelValues)
export const size: Size = SizeValues.Large
`
    const files = await printed(model)
    expect(await typeCheck(files, consumer)).toBe('')
    await inFolder(new Map([...files, ['consumer.ts', consumer]]), async (folder) => {
      const { colors, levels, size } = (await import(/* @vite-ignore */ join(folder, 'consumer.ts'))) as object & Record<string, unknown>
      expect([colors, levels, size]).toEqual([['r', 'g'], [1, 2], 'l'])
    })
  }) // prettier-ignore

  it.each([
    ['too few names', ['Red']],
    ['the same name twice', ['Red', 'Red']],
    ['a name that every object has', ['__proto__', 'Red']],
    ['something else than names', { r: 'Red' }],
  ])('has none, and a note, for %s', async (_, names) => {
    const source = schemasOf({ Color: { ...color, 'x-enum-varnames': names } })
    const model = await modelOf(source)
    expect(model.enums).toEqual([])
    expect(model.departures).toMatchObject([{ place: { pointer: '#/components/schemas/Color/x-enum-varnames' } }])
  }) // prettier-ignore
})

it('numbers of YAML that JSON lacks are left out of an enum, and listed', async () => {
  const source = parseSource(
    'openapi: 3.1.0\ninfo: { title: T, version: "1" }\npaths: {}\ncomponents: { schemas: { Odd: { enum: [.inf, 1, .nan] } } }\n',
    'openapi.yaml',
  )
  const model = await modelOf(source)
  expect(model.schemas.get('Odd')).toEqual({ type: 'number', const: 1 })
  expect(model.departures.map(({ place }) => place.pointer)).toEqual(['#/components/schemas/Odd/enum'])
})
