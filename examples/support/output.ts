import { mkdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

/** The folder in which examples leave their files; git does not see it. */
export const outputFolder = fileURLToPath(new URL('../out', import.meta.url))

/** Where an example leaves a file. */
export async function outputFile(name: string): Promise<string> {
  await mkdir(outputFolder, { recursive: true })
  return `${outputFolder}/${name}`
}
