import { spawnSync } from 'node:child_process'

/** Publishes the package in a folder and returns everything that the package manager printed. */
export function publishFolder(folder: string, env: NodeJS.ProcessEnv): string {
  const words = ['publish', '--no-git-checks', '--json']
  const { stdout, stderr } = spawnSync('pnpm', words, { cwd: folder, env, encoding: 'utf8' })
  return stdout + stderr
}
