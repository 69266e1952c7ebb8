import { mkdir, writeFile } from 'node:fs/promises'

import { htmlPage, junitXml, terminalTable, type CoverageReport } from '@concord/contract'

/** Writes a coverage report for people and machines into a package's `reports` folder. */
export async function writeReports(folder: URL, report: CoverageReport): Promise<void> {
  await mkdir(folder, { recursive: true })
  await writeFile(new URL('contract.json', folder), JSON.stringify(report, null, 2))
  await writeFile(new URL('contract.html', folder), htmlPage(report))
  await writeFile(new URL('contract.xml', folder), junitXml(report))
  await writeFile(new URL('contract.txt', folder), terminalTable(report))
}
