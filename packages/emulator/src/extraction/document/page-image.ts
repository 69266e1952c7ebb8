import type { ReadPage } from '../model.ts'
import { encodeGrayPng } from './png.ts'

const LARGEST_SIDE = 1_200

/**
 * Draws a page as a white PNG with a gray bar in place of each piece of text. One unit is one pixel; very large pages are
 * scaled down.
 */
export function drawPage(page: ReadPage): Uint8Array<ArrayBuffer> {
  const scale = Math.min(1, LARGEST_SIDE / Math.max(page.width, page.height, 1))
  const width = Math.max(1, Math.round(page.width * scale))
  const height = Math.max(1, Math.round(page.height * scale))
  const gray = new Uint8Array(width * height).fill(255)
  for (const box of page.boxes) {
    const left = clamp(Math.round(box.x * scale), width)
    const right = clamp(Math.round((box.x + box.width) * scale), width)
    const top = clamp(Math.round(box.y * scale), height)
    const bottom = clamp(Math.round((box.y + box.height) * scale), height)
    for (let row = top; row < bottom; row++) gray.fill(96, row * width + left, row * width + right)
  }
  return encodeGrayPng(width, height, gray)
}

function clamp(value: number, limit: number): number {
  return Math.min(Math.max(value, 0), limit)
}
