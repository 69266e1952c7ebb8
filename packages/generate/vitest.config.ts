import { folderTests } from '../../tools/check/vitest.service.ts'

export default folderTests('packages/generate')
