import { join } from 'node:path'

import { defineConfig } from '@concord/generate'

import { servicesIn } from './src/services.ts'

export default defineConfig({ root: '../..', services: servicesIn(join(import.meta.dirname, '../..')) })
