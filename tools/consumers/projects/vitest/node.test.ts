// @vitest-environment node
import './uploads.ts'
