import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { missingSources } from '../../../check/src/packed/source-maps.ts'
import { root } from '../../../check/src/workspace.ts'
import { guideSteps } from '../../../new-service/test/support/guide-steps.ts'
import type { Consumer } from '../consumer.ts'
import type { Project } from '../project.ts'
import { oldestNode } from './nodes.ts'
import { firstCode } from './readmes.ts'

/**
 * Runs a command of the guide (docs/your-own-service.md) and returns its output. Skips `npm` commands, because the
 * packages are already installed. Skips the command that starts a mock server, because `run.mjs` starts one.
 */
async function run(project: Project, command: string): Promise<string> {
  if (command.includes('concord-generate') || command.includes('@concord/generate init'))
    return project.node([
      join(project.modules, '@concord/generate/dist/cli.js'),
      ...command.split(' ').slice(2),
    ])
  if (command === 'node --test client.test.ts') return project.node(['--test', 'client.test.ts'])
  return command.endsWith('node main.ts')
    ? project.node(['run.mjs'], { env: { CONCORD_NODE: oldestNode } })
    : ''
}

export const generators: readonly Consumer[] = [
  {
    name: 'generate',
    what: 'The steps in docs/your-own-service.md: a project generates, compiles and calls its own client',
    group: 'generate',
    folder: 'generate',
    async run(project) {
      for (const step of guideSteps(readFileSync(join(root, 'docs/your-own-service.md'), 'utf8'))) {
        if (step.kind === 'file') writeFileSync(join(project.folder, step.path), step.text)
        else {
          let output = ''
          for (const command of step.commands.trim().split('\n')) output += await run(project, command)
          for (const line of step.prints)
            if (!output.includes(line)) throw new Error(`${step.commands}did not print: ${line}\n${output}`)
        }
      }
      // The README of @concord/generate also shows a config and a first call. They must work in the guide's project.
      const [config, call] = ['', 'file=main\\.ts'].map((about) =>
        firstCode(project, 'generate', new RegExp(`^\`\`\`ts ?${about}\\n([\\s\\S]*?)^\`\`\`$`, 'm')),
      )
      writeFileSync(join(project.folder, 'concord.config.ts'), config ?? '')
      await project.node([join(project.modules, '@concord/generate/dist/cli.js')])
      writeFileSync(join(project.folder, 'first-call.ts'), call ?? '')
      const strict = ['--strict', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess']
      const modules = ['--module', 'nodenext', '--target', 'es2024', '--allowImportingTsExtensions']
      const files = [
        'main.ts',
        'first-call.ts',
        'client.test.ts',
        'src/gen/schemas.gen.ts',
        'concord.config.ts',
      ]
      const tsc = project.file('typescript', 'bin', 'tsc')
      await project.node([
        tsc,
        '--noEmit',
        '--types',
        'node',
        '--ignoreConfig',
        ...strict,
        ...modules,
        ...files,
      ])
      await project.node(['-e', "require('@concord/generate').defineConfig({ services: [] })"])
      const missing = missingSources(join(project.modules, '@concord/generate'))
      if (missing.length > 0) throw new Error(missing.join('\n'))
    },
  },
]
