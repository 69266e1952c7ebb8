import { mkdir, writeFile } from 'node:fs/promises'

export async function writeReport(service: string, file: string, text: string): Promise<void> {
  const folder = new URL(`../../../packages/${service}/reports/`, import.meta.url)
  await mkdir(folder, { recursive: true })
  await writeFile(new URL(file, folder), text)
}
