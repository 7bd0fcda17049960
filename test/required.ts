/** What a machine may lack, for which suites are then skipped. */
type Engine = 'postgres' | 'redis' | 'rabbitmq' | 'chromium' | 'ffmpeg' | 'llama' | 'onnx' | 'speech';

const REQUIRED = (process.env.LIMPEDE_TEST_REQUIRE ?? '').split(',');

/** Whether LIMPEDE_TEST_REQUIRE (a comma-separated list) names an engine: its suites then run, and fail, where it is missing. */
export function isRequired(engine: Engine): boolean {
  return REQUIRED.includes(engine);
}
