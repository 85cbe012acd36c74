// Regenerates docs/terminal/: the command's output, as its tests see it. Build first: npm run build
import { spawnSync } from 'node:child_process'

const { status } = spawnSync(
  'npx',
  ['vitest', 'run', 'test/cli/frames.test.ts', '--typecheck.enabled=false'],
  {
    stdio: 'inherit',
    env: { ...process.env, WRITE_FRAMES: '1' },
  },
)
process.exitCode = status ?? 1
