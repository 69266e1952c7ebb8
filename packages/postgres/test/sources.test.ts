import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

import { expect, it } from 'vitest'

import { Identifier, Schema, sql } from '../src/database/sql.ts'

const root = join(import.meta.dirname, '..', 'src')
const sources = globSync('**/*.ts', { cwd: root }).map((path) => ({
  path,
  text: readFileSync(join(root, path), 'utf8'),
}))

/** Finds statements without the tag: strings that start with an SQL verb. */
const UNTAGGED =
  /(?<!\bsql)[`'"]\s*(?:select|insert into|update \w+ set|delete from|create (?:table|index|schema|function)|alter|drop|listen|notify|with \w+ as)\s/gi

it('every statement in the sources uses the tag `sql`, which turns all values into parameters', () => {
  expect(sources.length).toBeGreaterThan(10)
  const found = sources.flatMap(({ path, text }) =>
    [...text.matchAll(UNTAGGED)].map(([match]) => `${path}: ${match}`),
  )
  expect(found).toEqual([])
  // Only these files pass statements to the driver.
  const calls = sources.filter(({ text }) => /\.query\(/.test(text)).map(({ path }) => path)
  expect(calls.toSorted()).toEqual(['database/database.ts', 'database/listener.ts', 'database/pool.ts'])
})

it('the tag turns every value into a parameter, and accepts only checked names', () => {
  const evil = `'; drop table students; --`
  const { text, values } =
    sql`select ${evil} from ${new Schema('fleet').table('jobs')} where ${1} = any(${[1, 2]})`
  expect(text).toBe('select $1 from "fleet"."jobs" where $2 = any($3)')
  expect(values).toEqual([evil, 1, [1, 2]])
  const part = sql`${2} + ${evil}`
  expect(sql`select ${1}, ${part}, ${3}, ${part}`).toEqual({
    text: 'select $1, $2 + $3, $4, $5 + $6',
    values: [1, 2, evil, 3, 2, evil],
  })
  expect(() => new Identifier('a"b')).toThrow(TypeError)
  expect(() => new Identifier('Students; --')).toThrow(TypeError)
})
