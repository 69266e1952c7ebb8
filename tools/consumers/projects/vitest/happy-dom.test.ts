// @vitest-environment happy-dom
import './uploads.ts'
