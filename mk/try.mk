# The main job at work: the commands of the README's tour, run as they stand there.
try: deps
	@$(MAKE) --no-print-directory -j$(JOBS) all
	@BUILD=$B docs/tour
