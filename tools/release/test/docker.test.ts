import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

import { createEmulator } from '@concord/emulator'
import { validate } from 'dockerfile-utils'
import { expect, it } from 'vitest'
import { parse } from 'yaml'

import { publishedFolders, root } from '../src/workspace-copy.ts'

const dockerfile = readFileSync(join(root, 'tools/docker/Dockerfile'), 'utf8')
const compose = parse(readFileSync(join(root, 'tools/docker/compose.yaml'), 'utf8')) as {
  services: { emulator: { build: { target: string }; command: string[]; ports: string[] } }
}
/** Returns the arguments of an instruction in JSON form, in a stage. */
function wordsOf(instruction: string, stage: string): string[] {
  const own = dockerfile.split(/^FROM /m).find((part) => part.split('\n')[0]?.endsWith(` AS ${stage}`)) ?? ''
  const json = new RegExp(`^${instruction} .*?(\\[.*\\])$`, 'm').exec(own)?.[1]
  return JSON.parse(json ?? '[]') as string[]
}

const lint = (content: string): string[] =>
  validate(content).map(({ message }) => (typeof message === 'string' ? message : message.value))

it('finds no mistakes in the Dockerfile', () => {
  expect(lint(dockerfile)).toEqual([])
})

it.each([
  ['an unknown instruction', 'WORKDIR /app', 'WORKDIRS /app', 'Unknown instruction: WORKDIRS'],
  ['an unknown flag', '--interval=5s', '--intervall=5s', 'Unknown flag: intervall'],
  ['a stage without an image', 'FROM node:26-slim AS base', 'FROM', 'Instruction has no arguments'],
])('finds %s in a Dockerfile', (_what, good, bad, problem) => {
  expect(dockerfile).toContain(good)
  expect(lint(dockerfile.replace(good, bad)).join('\n')).toContain(problem)
})

it.each([
  ['emulator', '@concord/emulator'],
  ['verify', '@concord/contract'],
])('installs the package and starts the command of the image %s', (stage, name) => {
  const folder = publishedFolders().find((published) => published.name === name)?.folder ?? ''
  const { bin } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as { bin: object }
  expect(dockerfile).toContain(`RUN npm install --no-audit --no-fund "${name}@\${VERSION}"`)
  const [command = ''] = wordsOf('ENTRYPOINT', stage)
  const own = Object.entries(bin).find(([word]) => word === command.replace('/app/node_modules/.bin/', ''))
  // `npm pack` includes the file that npm links there.
  const [{ files }] = JSON.parse(
    execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
      cwd: join(root, folder),
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }),
  ) as [{ files: { path: string; mode: number }[] }]
  expect(files.map(({ path }) => `./${path}`)).toContain(own?.[1])
})

it('copies no file, so that it builds without the repository', () => {
  expect(dockerfile).not.toMatch(/^(?:COPY|ADD) /m)
})

it('uses a Node version that the packages support', () => {
  const { engines } = JSON.parse(readFileSync(join(root, 'packages/emulator/package.json'), 'utf8')) as {
    engines: { node: string }
  }
  const inImage = Number(/^FROM node:(\d+)/m.exec(dockerfile)?.[1])
  expect(inImage).toBeGreaterThan(Number(/\d+/.exec(engines.node)?.[0]))
})

it('runs the command of the container and responds to its health check', async () => {
  const { readArguments } = await import('../../../packages/emulator/src/cli-options.ts')
  const words = [...wordsOf('ENTRYPOINT', 'emulator').slice(1), ...compose.services.emulator.command]
  const options = readArguments(words, { out: () => {}, err: (text) => expect.unreachable(text) })
  expect(options).toMatchObject({ host: '0.0.0.0', json: true, control: true, seed: 'compose' })
  const exposed = /^EXPOSE (.*)$/m.exec(dockerfile)?.[1]?.split(' ').map(Number)
  expect(Object.values(options.ports)).toEqual(exposed)
  expect(compose.services.emulator.ports).toEqual(exposed?.map((port) => `${port}:${port}`))

  const check = wordsOf('HEALTHCHECK', 'emulator').at(-1) ?? ''
  const path = /127\.0\.0\.1:8080(\/[\w/]+)/.exec(check)?.[1] ?? ''
  await using emulator = await createEmulator()
  const { baseUrl } = (await emulator.serve({ services: ['extraction'] })).extraction
  expect((await fetch(baseUrl + path)).status).toBe(200)
})
