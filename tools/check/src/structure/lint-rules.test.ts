import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

import { describe, expect, it, onTestFinished } from 'vitest'

import { root } from '../workspace.ts'

/** Lints files with the workspace's configuration and returns the findings, as `file: rule`. */
function lint(files: Readonly<Record<string, string>>): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'concord-lint-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  const oxlint = join(root, 'node_modules', '.bin', 'oxlint')
  const args = ['--config', join(root, '.oxlintrc.json'), '--format', 'json', '.']
  const { stdout, error } = spawnSync(oxlint, args, { cwd: folder, encoding: 'utf8' })
  if (error) throw error
  const { diagnostics } = JSON.parse(stdout) as {
    readonly diagnostics: readonly { readonly code: string; readonly filename: string }[]
  }
  return diagnostics.map(({ code, filename }) => `${filename}: ${code}`).toSorted()
}

const functionOf = (lines: number) =>
  [
    'export function f(): void {',
    ...Array.from({ length: lines - 2 }, (_, at) => `  void ${at}`),
    '}',
    '',
  ].join('\n')
const functionWith = (parameters: number) => {
  const names = Array.from({ length: parameters }, (_, at) => `p${at}`)
  return `export const f = (${names.map((name) => `${name}: number`).join(', ')}) => ${names.join(' + ')}\n`
}

describe('the lint rules', () => {
  it('allows functions of 80 lines, and rejects longer ones', () => {
    expect(lint({ 'a.ts': functionOf(80), 'b.ts': functionOf(81) })).toEqual([
      'b.ts: eslint(max-lines-per-function)',
    ])
  })

  it('allows functions of 4 parameters, and rejects more', () => {
    expect(lint({ 'a.ts': functionWith(4), 'b.ts': functionWith(5) })).toEqual(['b.ts: eslint(max-params)'])
  })

  it('limits neither the length nor the parameters of functions in tests', () => {
    expect(
      lint({
        'src/a.test.ts': functionOf(200),
        'test/support.ts': functionWith(6),
        'src/test-support/b.ts': functionOf(81),
      }),
    ).toEqual([])
  })

  it('rejects import cycles, including those of types', () => {
    const pair = (keyword: string) => ({
      'a.ts': `${keyword} { B } from './b.ts'\nexport interface A { readonly b?: typeof B }\nexport const A = 1\n`,
      'b.ts': `${keyword} { A } from './a.ts'\nexport interface B { readonly a?: typeof A }\nexport const B = 1\n`,
    })
    const found = ['a.ts: import(no-cycle)', 'b.ts: import(no-cycle)']
    expect(lint(pair('import type'))).toEqual(found)
    expect(lint(pair('import'))).toEqual(expect.arrayContaining(found))
  })
})
