import { readFileSync } from 'node:fs'
import { join } from 'node:path'

import type { Consumer } from '../consumer.ts'
import type { Project } from '../project.ts'

/** Returns the arguments for the program of `projects/deno`: the services' URLs and credentials, and a document. */
async function program(project: Project): Promise<string[]> {
  const receipt = readFileSync(join(project.folder, '../shared/receipt.png')).toString('base64')
  return ['main.mjs', JSON.stringify(await project.served()), receipt]
}

const consumer = (name: string, what: string, folder: string, run: Consumer['run']): Consumer => ({
  name,
  what,
  group: 'runtimes',
  folder,
  run,
})

export const runtimes: readonly Consumer[] = [
  consumer('deno', 'Deno 2 with --allow-net alone: all services', 'deno', async (project) => {
    const deno = project.platformFile('@deno', process.platform, 'deno')
    const words = ['run', '--allow-net', '--no-prompt', '--node-modules-dir=manual']
    await project.run(deno, [...words, ...(await program(project))], { prints: 'all good' })
  }),
  consumer('bun-runtime', 'Bun 1: all services', 'deno', async (project) => {
    // npm didn't run Bun's install script (`--ignore-scripts`). The script moves the binary for this machine into the
    // package `bun`.
    await project.node([project.file('bun', 'install.js')])
    const bun = project.file('bun', 'bin', 'bun.exe')
    await project.run(bun, await program(project), { prints: 'all good' })
  }),
  consumer(
    'workers',
    'Cloudflare Workers (workerd), with and without nodejs_compat: all services, including live sockets',
    'workers',
    async (project) => {
      const esbuild = project.platformFile('@esbuild', `${process.platform}-${process.arch}`, 'bin/esbuild')
      const conditions = '--conditions=workerd,worker,browser'
      const words = ['worker.mjs', '--bundle', '--format=esm', conditions, '--outfile=out/worker.mjs']
      await project.run(esbuild, words)
      await project.node(['run.mjs'], { prints: 'all good' })
    },
  ),
  ...['turbopack', 'webpack'].map((bundler): Consumer => ({
    name: bundler === 'webpack' ? 'next-webpack' : 'next',
    what: `Next.js 16 (${bundler}): a server action, a route on Node, ${bundler === 'webpack' ? '' : 'one on the edge runtime, '}a client component`,
    group: 'next',
    folder: 'next',
    run: (project) => project.node(['run.mjs', `--${bundler}`], { prints: 'all good', limitMs: 300_000 }),
  })),
]
