import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

import { onTestFinished } from 'vitest'

import { edited, type Step } from './support.ts'

/** A repository with the parcels contracts and their packages, in a folder that is removed after the test. */
export class Repository {
  readonly root = mkdtempSync(join(tmpdir(), 'release-plan-'))

  constructor(version = '1.2.0') {
    onTestFinished(() => rmSync(this.root, { recursive: true, force: true }))
    this.git('init', '--quiet', '--initial-branch=main')
    this.edit()
    this.write('.changeset/README.md', 'One file per change.\n')
    for (const [folder, name] of [
      ['specs', '@concord/specs'],
      ['packages/parcels', '@concord/parcels'],
      ['packages/parcels-validators', '@concord/parcels-validators'],
      ['packages/emulator', '@concord/emulator'],
    ] as const)
      this.write(`${folder}/package.json`, JSON.stringify({ name, version }))
    this.commit('First release')
  }

  git(...words: readonly string[]): string {
    const identity = [
      '-c',
      'user.name=Test',
      '-c',
      'user.email=test@example.com',
      '-c',
      'commit.gpgsign=false',
    ]
    return execFileSync('git', [...identity, ...words], { cwd: this.root, encoding: 'utf8' })
  }

  commit(title: string): void {
    this.git('add', '--all')
    this.git('commit', '--quiet', '--message', title)
  }

  /** Creates the tag that `changeset publish` creates. */
  release(version: string): void {
    this.git('tag', '--annotate', '--message', version, `@concord/specs@${version}`)
  }

  /** Writes the original contracts with these edits. */
  edit(...steps: readonly Step[]): void {
    for (const [file, text] of Object.entries(edited(steps))) this.write(`specs/${file}`, text)
  }

  write(file: string, text: string): void {
    mkdirSync(dirname(join(this.root, file)), { recursive: true })
    writeFileSync(join(this.root, file), text)
  }

  read(file: string): string {
    return readFileSync(join(this.root, file), 'utf8')
  }
}
