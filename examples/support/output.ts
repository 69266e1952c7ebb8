import { mkdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

/** The folder that examples write to; git ignores it. */
export const outputFolder = fileURLToPath(new URL('../out', import.meta.url))

/** Creates the output folder if necessary, and returns the path of a file in it. */
export async function outputFile(name: string): Promise<string> {
  await mkdir(outputFolder, { recursive: true })
  return `${outputFolder}/${name}`
}
