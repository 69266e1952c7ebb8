import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterAll, beforeAll, expect, it } from 'vitest'

import type { ChangeReport } from '../src/run.ts'

const repository = join(import.meta.dirname, '../../..')
const contract = 'specs/storage-auth/openapi.yaml'
let root: string

/** A small tree with one real service and the real tools. */
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'concord-change-'))
  const folders = [
    'tools/change/src',
    'packages/generate/src',
    'tools/generate/src',
    'specs/storage-auth',
    'packages/storage-auth/src',
    'packages/storage-auth-validators/src',
  ]
  for (const folder of folders) cpSync(join(repository, folder), join(root, folder), { recursive: true })
  for (const file of [
    'specs/extensions.schema.json',
    'specs/formats.json',
    'tools/check/src/usage-error.ts',
    'tools/release-plan/src/git.ts',
    'packages/storage-auth/README.md',
    'specs/README.md',
  ])
    cpSync(join(repository, file), join(root, file))
  for (const folder of ['tools/change', 'tools/generate', 'packages/generate']) {
    cpSync(join(repository, folder, 'package.json'), join(root, folder, 'package.json'))
    symlinkSync(join(repository, folder, 'node_modules'), join(root, folder, 'node_modules'))
  }
  writeFileSync(join(root, '.gitignore'), 'node_modules\n')
  const git = (...words: string[]) => execFileSync('git', words, { cwd: root })
  git('init', '--quiet')
  git('add', '.')
  git('-c', 'user.name=Test', '-c', 'user.email=test@concord.example', 'commit', '--quiet', '-m', 'Start')
})

afterAll(() => rmSync(root, { recursive: true, force: true }))

function change(...words: string[]) {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['--conditions=@concord/source', join(root, 'tools/change/src/cli.ts'), ...words],
    { cwd: root, encoding: 'utf8' },
  )
  return { status, stdout, stderr }
}

/** Starts the command. `until` resolves when it has printed a certain text. */
function watching() {
  const child = spawn(
    process.execPath,
    ['--conditions=@concord/source', join(root, 'tools/change/src/cli.ts'), '--watch'],
    { cwd: root },
  )
  let unread = ''
  let wake = (): void => {}
  const hear = (chunk: Buffer): void => {
    unread += String(chunk)
    wake()
  }
  child.stdout.on('data', hear)
  child.stderr.on('data', hear)
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve))
  const until = async (text: string): Promise<void> => {
    for (let at = unread.indexOf(text); at < 0; at = unread.indexOf(text))
      await new Promise<void>((resolve, reject) => {
        wake = resolve
        void ended.then((code) =>
          reject(new Error(`it ended with ${code} before it printed ${text}: ${unread}`)),
        )
      })
    unread = unread.slice(unread.indexOf(text) + text.length)
  }
  return { child, ended, until }
}

const changedFiles = () =>
  execFileSync('git', ['status', '--porcelain'], { cwd: root, encoding: 'utf8' }).split('\n').filter(Boolean)

it('exits with 0 for an unchanged tree, without running anything', () => {
  const { status, stdout } = change()
  expect(stdout).toMatch(/^change: no contract has changed/)
  expect(status).toBe(0)
  expect(existsSync(join(root, 'node_modules/.concord-change.json'))).toBe(false)
})

it('reports an unknown service, with the name that was probably meant', () => {
  const { status, stderr } = change('storage-aut')
  expect(stderr).toContain('unknown service `storage-aut`; did you mean `storage-auth`? Valid names: ')
  expect(status).toBe(2)
})

it('exits with 1 for a misspelled extension, with its file and line, and without changing other files', () => {
  const text = readFileSync(join(root, contract), 'utf8')
  const edited = text.replace('x-retry:', 'x-retyr:')
  writeFileSync(join(root, contract), edited)
  const { status, stdout, stderr } = change('--json')
  const { ok, problems, steps, written } = JSON.parse(stdout) as ChangeReport
  const misspelled = problems.find(({ reason }) => reason.includes('did you mean `x-retry`?'))
  expect(misspelled?.place).toMatchObject({
    file: contract,
    line: edited.slice(0, edited.indexOf('x-retyr')).split('\n').length,
  })
  expect(steps.map(({ name, status }) => `${name} ${status}`)).toEqual([
    'contract failed',
    'lint skipped',
    'generate skipped',
    'plan skipped',
    'typecheck skipped',
    'tests skipped',
    'surface skipped',
  ])
  expect({ ok, written, status }).toEqual({ ok: false, written: [], status: 1 })
  expect(stderr).toContain('storage-auth: its contract was edited')
  expect(changedFiles()).toEqual([` M ${contract}`])

  // After the edit is undone, the service is checked again, because its last run failed.
  writeFileSync(join(root, contract), text)
  expect(readFileSync(join(root, 'node_modules/.concord-change.json'), 'utf8')).toContain('"isGreen": false')
})

it('--watch runs again after each save, even after a failed run, until it is interrupted', async () => {
  const text = readFileSync(join(root, contract), 'utf8')
  const { child, ended, until } = watching()
  try {
    await until('watching specs and packages')
    writeFileSync(join(root, contract), text.replace('x-retry:', 'x-retyr:'))
    await until('did you mean `x-retry`?')
    await until('not done yet')
    writeFileSync(join(root, contract), text.replace('x-outcome:', 'x-outcom:'))
    await until('did you mean `x-outcome`?')
    await until('not done yet')
    child.kill('SIGINT')
    expect(await ended).toBe(0)
  } finally {
    child.kill('SIGKILL')
    writeFileSync(join(root, contract), text)
  }
})
