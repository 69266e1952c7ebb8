import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

import { onTestFinished } from 'vitest'

import { run } from '../../src/command/command.ts'

/** The output of a run of the command, and its exit code. */
interface CommandResult {
  readonly code: number
  /** The lines on stdout. */
  readonly lines: readonly string[]
  readonly errors: string
}

/** Runs the command in a folder, in this process. */
export async function command(
  folder: string,
  words: readonly string[],
  more: { readonly fetch?: typeof fetch } = {},
): Promise<CommandResult> {
  const lines: string[] = []
  const errors: string[] = []
  const code = await run(words, {
    folder,
    version: '1.2.3',
    print: (text) => void lines.push(...text.split('\n')),
    printError: (text) => void errors.push(text),
    stopped: () => AbortSignal.abort(),
    ...more,
  })
  return { code, lines, errors: errors.join('\n') }
}

/** Creates a new folder with these files. It is removed after the test. */
export function projectOf(files: Readonly<Record<string, string | object>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'concord-generate-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  writeFiles(folder, files)
  return folder
}

/** Writes files into a folder. Objects are written as JSON. */
export function writeFiles(folder: string, files: Readonly<Record<string, string | object>>): void {
  for (const [file, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    writeFileSync(join(folder, file), typeof content === 'string' ? content : JSON.stringify(content))
  }
}

/** All files below a folder, except those in `node_modules`, with their modification times. */
export function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => !file.includes('/node_modules/'))
    .map((file) => `${file.slice(folder.length + 1)} ${statSync(file).mtimeMs}`)
    .sort()
}

/** A small contract: one operation, one schema. */
export const lamps = `openapi: 3.1.0
info: { title: Lamps, version: 1.0.0 }
servers: [{ url: https://lamps.example }]
paths:
  /lamps/{id}:
    get:
      operationId: getLamp
      parameters:
        - { name: id, in: path, required: true, schema: { type: string } }
      responses:
        '200':
          description: The lamp.
          content:
            application/json:
              schema: { $ref: '#/components/schemas/Lamp' }
components:
  schemas:
    Lamp:
      type: object
      required: [watts]
      properties:
        watts: { type: integer, minimum: 1 }
`

/** A config for {@link lamps}, with the given members. */
export function lampsConfig(more: object = {}): object {
  return { services: [{ name: 'lamps', openapi: 'openapi.yaml', output: 'src/gen', ...more }] }
}
