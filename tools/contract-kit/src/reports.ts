import { mkdir, writeFile } from 'node:fs/promises'

/** Writes a file into the `reports` folder of a package. */
export async function writeReport(service: string, file: string, text: string): Promise<void> {
  const folder = new URL(`../../../packages/${service}/reports/`, import.meta.url)
  await mkdir(folder, { recursive: true })
  await writeFile(new URL(file, folder), text)
}
