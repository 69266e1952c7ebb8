import { createRequire } from 'node:module'
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { pathToFileURL } from 'node:url'

import type { Consumer } from '../consumer.ts'
import type { Project } from '../project.ts'

/** Runs a bundle in a folder without packages, so that the bundle has to contain everything. */
async function runAlone(project: Project, bundle: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'concord-alone-'))
  try {
    const file = join(folder, basename(bundle))
    copyFileSync(join(project.folder, bundle), file)
    const env = { CONCORD_FILE: join(project.folder, '../shared/receipt.png') }
    await project.node([file], { env, prints: 'all good' })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const consumer = (name: string, what: string, run: Consumer['run']): Consumer => ({
  name,
  what,
  group: 'bundlers',
  folder: 'bundlers',
  run,
})

const esbuildFor =
  (words: readonly string[], out: string): Consumer['run'] =>
  async (project) => {
    const esbuild = project.platformFile('@esbuild', `${process.platform}-${process.arch}`, 'bin/esbuild')
    await project.run(esbuild, ['app.js', '--bundle', '--platform=node', `--outfile=${out}`, ...words], {
      lacks: 'warning',
    })
    await runAlone(project, out)
  }

export const bundlers: readonly Consumer[] = [
  {
    name: 'rolldown',
    what: 'rolldown (the version in the workspace): one file for Node, as an ES module and as CommonJS, all services',
    group: 'node',
    folder: 'bundlers',
    isQuick: true,
    async run(project) {
      const rolldown = pathToFileURL(createRequire(import.meta.url).resolve('rolldown')).href
      await project.node(['rolldown.mjs', rolldown])
      await runAlone(project, 'out/rolldown.mjs')
      await runAlone(project, 'out/rolldown.cjs')
    },
  },
  consumer(
    'esbuild-esm',
    'esbuild: one ES module for Node, without a banner, all services',
    esbuildFor(['--format=esm'], 'out/esbuild.mjs'),
  ),
  consumer(
    'esbuild-cjs',
    'esbuild: one CommonJS file for Node, all services',
    esbuildFor(['--format=cjs'], 'out/esbuild.cjs'),
  ),
  consumer('rollup', 'Rollup: one ES module for Node, all services', async (project) => {
    await project.node([project.file('rollup', 'dist', 'bin', 'rollup'), '-c'])
    await runAlone(project, 'out/rollup.mjs')
  }),
  consumer(
    'webpack',
    'webpack 5: for Node, one bundle with all services and one with only extraction; for web pages, all services',
    async (project) => {
      await project.node(['webpack.mjs'], { prints: 'no warnings' })
      for (const file of ['out/webpack.cjs', 'out/webpack-extract.cjs'])
        await project.node([file], {
          env: { CONCORD_FILE: join(project.folder, '../shared/receipt.png') },
          prints: 'all good',
        })
    },
  ),
  consumer('vite', 'Vite 8: for web pages, and for Node with everything in the bundle', async (project) => {
    const vite = project.file('vite', 'bin', 'vite.js')
    await project.node([vite, 'build', '--outDir', 'out/vite'], { lacks: 'externalized' })
    await project.node([vite, 'build', '--ssr', 'app.js', '--outDir', 'out/vite-ssr'])
    await project.node(['out/vite-ssr/app.js'], {
      env: { CONCORD_FILE: join(project.folder, '../shared/receipt.png') },
      prints: 'all good',
    })
  }),
]
