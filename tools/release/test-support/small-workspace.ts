import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Creates a workspace, committed to its own git repository, in which each package depends on the previous one. */
export function smallWorkspace(
  names: readonly string[],
  version: string,
  environment: NodeJS.ProcessEnv,
): string {
  const folder = mkdtempSync(join(tmpdir(), 'concord-small-'))
  const write = (path: string, content: string) => writeFileSync(join(folder, path), content)
  mkdirSync(join(folder, '.changeset'))
  write('package.json', '{ "name": "root", "private": true, "packageManager": "pnpm@12.21.0" }')
  write('pnpm-workspace.yaml', 'packages: [packages/*]\npmOnFail: ignore\n')
  write('.changeset/config.json', '{ "access": "public" }')
  for (const [index, name] of names.entries()) {
    mkdirSync(join(folder, 'packages', name), { recursive: true })
    const before = names[index - 1]
    const dependencies = before === undefined ? {} : { [before]: `^${version}` }
    write(`packages/${name}/package.json`, JSON.stringify({ name, version, dependencies }))
  }
  const git = (...words: string[]) => execFileSync('git', words, { cwd: folder, env: environment })
  git('init', '--quiet')
  git('add', '--all')
  git('commit', '--quiet', '--message=Start')
  return folder
}
