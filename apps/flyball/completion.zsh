#compdef flyball
# Completion for zsh. Written by tools/make_manual.py from the program's own table of commands and options.
_flyball() {
    local -a commands=(
        'new:write a first model to start from\: a pendulum, with comments'
        'check:validate a model\: parts, degrees of freedom, loops, redundancies'
        'run:assemble, simulate and record a model'
        'equilibrium:find where a model rests or moves steadily, and whether it is stable'
        'linearize:linearize a model and classify every eigenvalue'
        'modes:natural frequencies, damping, mode shapes, frequency response'
        'bench:solve the benchmark problems and measure the errors'
        'sweep:run a model at all points of a grid of its parameters'
        'optimize:search for the best parameters of a model'
        'report:one HTML file with motion, plots and numbers of a run'
        'plot:plot a run as SVG, or in the terminal'
        'convert:write the table of a run in another format\: csv, fbr, mat, npz, parquet'
        'reduce:write the reduced matrices of a model'\''s structures, for other models'
        'integrators:list the methods of integration and what each is good for'
        'schema:print the JSON Schema of the model or study file'
        'explain:explain an exit code or a kind of error'
        'help:explain the program or one command'
    )
    if (( CURRENT == 2 )); then
        _describe command commands
        return
    fi
    local command=${words[2]}
    shift words; (( CURRENT-- ))
    case $command in
        new)
            _arguments \
                '*--quiet[no progress and no notes on stderr; errors are still reported]' \
                '*-q[no progress and no notes on stderr; errors are still reported]' \
                '*--help[explain the command]' \
                '*-h[explain the command]' \
                '*:file.yaml:_files -g "*.(yaml)"'
            ;;
        check)
            _arguments \
                '*--set[override a parameter of the model; VALUE may be an expression with a unit; repeatable]:NAME=VALUE: ' \
                '*--size-limit[accept models up to X times the limits of size in the reference, at most 10, or reject those above a fraction of them (default\: 1)]:X: ' \
                '*--json[print exactly one JSON document on stdout]' \
                '*--quiet[no progress and no notes on stderr; errors are still reported]' \
                '*-q[no progress and no notes on stderr; errors are still reported]' \
                '*--help[explain the command]' \
                '*-h[explain the command]' \
                '*:model:_files -g "*.(yaml|yml|json)"'
            ;;
        run)
            _arguments \
                '*--set[override a parameter of the model; VALUE may be an expression with a unit; repeatable]:NAME=VALUE: ' \
                '*--size-limit[accept models up to X times the limits of size in the reference, at most 10, or reject those above a fraction of them (default\: 1)]:X: ' \
                '*--duration[simulated time]:SECONDS: ' \
                '*--sample[time between recorded rows]:SECONDS: ' \
                '*--rtol[relative tolerance of the integrator; the absolute one keeps its ratio to it]:X: ' \
                '*--atol[absolute tolerance of the integrator]:X: ' \
                '*--accuracy[tighten the tolerances until the global error of all outputs is below E, and certify it]:E: ' \
                '*--error-estimate[estimate the errors of the outputs with a second run, even if the first one took a long time]' \
                '*--no-error-estimate[skip that estimate, even where it would be cheap]' \
                '*--max-step[largest step of the integrator]:SECONDS: ' \
                '*--step[steps of this length, without error control (auto\: with alpha)]:SECONDS: ' \
                '*--spectral-radius[numerical damping of alpha, from 0 (strongest) to 1 (none); default 0.8]:X: ' \
                '*--integrator[integration method, or auto to let the program choose]:NAME:(auto radau dop853 alpha linear gauss2 gauss4 gauss6 bdf adams ida)' \
                '*--report[also write a report, an HTML file with motion, plots and numbers]:PATH:_files' \
                '*--format[with -o\: also write the outputs as NAME.mat (MATLAB, Octave, SciPy), NAME.npz (NumPy) or NAME.parquet; fbr\: write NAME.fbr, binary with checksums, instead of NAME.csv]:NAME:(fbr mat npz)' \
                '*--vtu[write the motion of all nodes of meshes as VTU files for ParaView]:DIR:_files' \
                '*--gltf[also write the motion as animated glTF, for other 3-D programs]:FILE.glb: ' \
                '*--poses[with -o\: also save the motion, NAME.motion.json, for a later report]' \
                '*--damping[effective damping of the vibration in a recorded output, per cycle and overall]:OUTPUT\[\:CYCLES\]: ' \
                '*--resume[with -o\: continue a run that was interrupted or killed from its last saved state]' \
                '*--checkpoint[with -o\: time between saved states (default 5)]:SECONDS: ' \
                '*--output[folder for NAME.csv and NAME.json]:PATH:_files' \
                '*-o[folder for NAME.csv and NAME.json]:PATH:_files' \
                '*--json[print exactly one JSON document on stdout]' \
                '*--quiet[no progress and no notes on stderr; errors are still reported]' \
                '*-q[no progress and no notes on stderr; errors are still reported]' \
                '*--help[explain the command]' \
                '*-h[explain the command]' \
                '*:model:_files -g "*.(yaml|yml|json)"'
            ;;
        equilibrium)
            _arguments \
                '*--set[override a parameter of the model; VALUE may be an expression with a unit; repeatable]:NAME=VALUE: ' \
                '*--size-limit[accept models up to X times the limits of size in the reference, at most 10, or reject those above a fraction of them (default\: 1)]:X: ' \
                '*--steady[a joint that keeps turning (rad/s) or sliding (m/s) at equilibrium; repeatable]:JOINT=RATE: ' \
                '*--json[print exactly one JSON document on stdout]' \
                '*--quiet[no progress and no notes on stderr; errors are still reported]' \
                '*-q[no progress and no notes on stderr; errors are still reported]' \
                '*--help[explain the command]' \
                '*-h[explain the command]' \
                '*:model:_files -g "*.(yaml|yml|json)"'
            ;;
        linearize)
            _arguments \
                '*--set[override a parameter of the model; VALUE may be an expression with a unit; repeatable]:NAME=VALUE: ' \
                '*--size-limit[accept models up to X times the limits of size in the reference, at most 10, or reject those above a fraction of them (default\: 1)]:X: ' \
                '*--at[equilibrium (default), initial, or a time during a run, in seconds]:WHERE:(equilibrium initial)' \
                '*--steady[a joint that keeps turning (rad/s) or sliding (m/s) at equilibrium; repeatable]:JOINT=RATE: ' \
                '*--method[independent (default), descriptor, ode, penalty, or all]:NAME:(independent descriptor ode penalty all)' \
                '*--coordinates[joint (default), absolute (six for each body), or both]:NAME:(joint absolute both)' \
                '*--repeat[number of timed executions (default 1)]:N: ' \
                '*--penalty[stiffness factor of the penalty method (default 1e7)]:X: ' \
                '*--baumgarte[stabilization rate of the ode method in 1/s (default none)]:RATE: ' \
                '*--exact[known eigenvalue (its conjugate is implied) to measure the error against; repeatable]:RE,IM: ' \
                '*--matrices[folder for M, C, K, A, B, Cy, D in Matrix Market format and names.json]:DIR:_files' \
                '*--report[also write a report, an HTML file with motion, plots and numbers]:PATH:_files' \
                '*--output[file for all eigenvalues]:PATH:_files' \
                '*-o[file for all eigenvalues]:PATH:_files' \
                '*--json[print exactly one JSON document on stdout]' \
                '*--quiet[no progress and no notes on stderr; errors are still reported]' \
                '*-q[no progress and no notes on stderr; errors are still reported]' \
                '*--help[explain the command]' \
                '*-h[explain the command]' \
                '*:model:_files -g "*.(yaml|yml|json)"'
            ;;
        modes)
            _arguments \
                '*--set[override a parameter of the model; VALUE may be an expression with a unit; repeatable]:NAME=VALUE: ' \
                '*--size-limit[accept models up to X times the limits of size in the reference, at most 10, or reject those above a fraction of them (default\: 1)]:X: ' \
                '*--at[equilibrium (default), initial, or a time during a run, in seconds]:WHERE:(equilibrium initial)' \
                '*--steady[a joint that keeps turning (rad/s) or sliding (m/s) at equilibrium; repeatable]:JOINT=RATE: ' \
                '*--undamped[ignore damping\: real mode shapes from mass and stiffness alone]' \
                '*--lowest[only the N lowest modes, with sparse matrices, for models with thousands of coordinates]:N: ' \
                '*--shift[with --lowest\: the modes nearest to this frequency instead]:HZ: ' \
                '*--points[also give the mode shape at this point, in body axes; repeatable]:BODY\:X,Y,Z: ' \
                '*--frf[frequency response from an actuator or another force along a line or in a joint to a recorded output]:INPUT\:OUTPUT: ' \
                '*--from[lowest frequency of the response (default\: a tenth of the lowest mode'\''s)]:HZ: ' \
                '*--to[highest frequency of the response (default\: ten times the highest mode'\''s)]:HZ: ' \
                '*--points-per-decade[points per decade of the response (default 100)]:N: ' \
                '*--svg[Bode plot of the response]:FILE:_files' \
                '*--report[also write a report, an HTML file with motion, plots and numbers]:PATH:_files' \
                '*--vtu[write the motion of all nodes of meshes as VTU files for ParaView]:DIR:_files' \
                '*--gltf[also write the swing of a mode as animated glTF, for other 3-D programs]:FILE.glb: ' \
                '*--mode[with --gltf\: the mode to write, as numbered in the table (default 1)]:N: ' \
                '*--output[CSV file for the frequency response]:PATH:_files' \
                '*-o[CSV file for the frequency response]:PATH:_files' \
                '*--json[print exactly one JSON document on stdout]' \
                '*--quiet[no progress and no notes on stderr; errors are still reported]' \
                '*-q[no progress and no notes on stderr; errors are still reported]' \
                '*--help[explain the command]' \
                '*-h[explain the command]' \
                '*:model:_files -g "*.(yaml|yml|json)"'
            ;;
        bench)
            _arguments \
                '*--rtol[relative tolerance of the integrator; the absolute one keeps its ratio to it]:X: ' \
                '*--atol[absolute tolerance of the integrator]:X: ' \
                '*--integrator[integration method, or auto to let the program choose]:NAME:(auto radau dop853 alpha linear gauss2 gauss4 gauss6 bdf adams ida)' \
                '*--tight[use each case'\''s tight tolerances and compare with its tight limits]' \
                '*--list[list the cases and stop]' \
                '*--cases[folder of the cases (default\: $FLYBALL_CASES, then the installed ones)]:DIR:_files' \
                '*--report[also write a folder of reports, HTML files with motion, plots and numbers]:PATH:_files' \
                '*--resume[with -o\: take over the cases that an interrupted or killed command has finished]' \
                '*--mpi[share the cases among the processes of mpirun]' \
                '*--untimed[write 0 as the time of each run, so that equal studies and cases give equal files]' \
                '*--example[with --report\: also run this model and list its report; repeatable]:MODEL:_files' \
                '*--output[CSV file for the table]:PATH:_files' \
                '*-o[CSV file for the table]:PATH:_files' \
                '*--json[print exactly one JSON document on stdout]' \
                '*--quiet[no progress and no notes on stderr; errors are still reported]' \
                '*-q[no progress and no notes on stderr; errors are still reported]' \
                '*--help[explain the command]' \
                '*-h[explain the command]' \
                '*:case:($(flyball bench --list 2>/dev/null | cut -d " " -f 1))'
            ;;
        sweep)
            _arguments \
                '*--set[override a parameter of the model; VALUE may be an expression with a unit; repeatable]:NAME=VALUE: ' \
                '*--report[also write a report, an HTML file with charts of the measures and sensitivities]:PATH:_files' \
                '*--jobs[number of parallel runs (default\: the number of processors)]:N: ' \
                '*--part[only every N-th point, starting with the I-th, to split a sweep into cluster jobs (default in a Slurm array\: the part of the task)]:I/N: ' \
                '*--join[run nothing, but join the tables of N parts, NAME.part-I-of-N.csv, into one]:N: ' \
                '*--slurm[run nothing, but write the scripts of a Slurm array job and of a job that joins its tables]' \
                '*--submit[with --slurm\: also submit the two jobs with sbatch]' \
                '*--mpi[share the runs among the processes of mpirun; each computes one at a time, or --jobs]' \
                '*--untimed[write 0 as the time of each run, so that equal studies and cases give equal files]' \
                '*--retry[rerun the points of the table that failed]' \
                '*--output[CSV file for all runs, resumed if it exists]:PATH:_files' \
                '*-o[CSV file for all runs, resumed if it exists]:PATH:_files' \
                '*--json[print exactly one JSON document on stdout]' \
                '*--quiet[no progress and no notes on stderr; errors are still reported]' \
                '*-q[no progress and no notes on stderr; errors are still reported]' \
                '*--help[explain the command]' \
                '*-h[explain the command]' \
                '*:study:_files -g "*.(yaml|yml|json)"'
            ;;
        optimize)
            _arguments \
                '*--set[override a parameter of the model; VALUE may be an expression with a unit; repeatable]:NAME=VALUE: ' \
                '*--report[also write a report, an HTML file with charts of the measures and sensitivities]:PATH:_files' \
                '*--jobs[number of parallel runs (default\: the number of processors)]:N: ' \
                '*--mpi[share the runs among the processes of mpirun; each computes one at a time, or --jobs]' \
                '*--untimed[write 0 as the time of each run, so that equal studies and cases give equal files]' \
                '*--retry[rerun the points of the table that failed]' \
                '*--output[CSV file for all runs, resumed if it exists]:PATH:_files' \
                '*-o[CSV file for all runs, resumed if it exists]:PATH:_files' \
                '*--json[print exactly one JSON document on stdout]' \
                '*--quiet[no progress and no notes on stderr; errors are still reported]' \
                '*-q[no progress and no notes on stderr; errors are still reported]' \
                '*--help[explain the command]' \
                '*-h[explain the command]' \
                '*:study:_files -g "*.(yaml|yml|json)"'
            ;;
        report)
            _arguments \
                '*--gltf[write the motion as animated glTF, for other 3-D programs; the HTML file is written only with -o]:FILE.glb: ' \
                '*--png[write a picture, drawn by a headless browser; the HTML file is written only with -o. RESULT may also be the HTML file of any report]:FILE.png: ' \
                '*--view[with --png\: standard (default), front, side, top, corner; or page, for the whole page]:NAME: ' \
                '*--time[with --png\: the time to show (default\: the start)]:SECONDS: ' \
                '*--size[with --png\: its width and height in pixels (default 1280x720)]:WxH: ' \
                '*--reference[table of reference curves, matched by column name]:FILE.csv:_files' \
                '*--with[a second run, shown over the first or beside it, and in the plots]:RESULT: ' \
                '*--title[the title]:TEXT: ' \
                '*--output[HTML file, or a folder for several]:PATH:_files' \
                '*-o[HTML file, or a folder for several]:PATH:_files' \
                '*--quiet[no progress and no notes on stderr; errors are still reported]' \
                '*-q[no progress and no notes on stderr; errors are still reported]' \
                '*--help[explain the command]' \
                '*-h[explain the command]' \
                '*:result:_files -g "*.(csv|json)"'
            ;;
        plot)
            _arguments \
                '*--outputs[the outputs to plot (default\: all); tip stands for tip.x, tip.y and tip.z]:A,B,...: ' \
                '*--reference[table of reference curves, matched by column name]:FILE.csv:_files' \
                '*--title[the title]:TEXT: ' \
                '*--output[SVG file]:PATH:_files' \
                '*-o[SVG file]:PATH:_files' \
                '*--quiet[no progress and no notes on stderr; errors are still reported]' \
                '*-q[no progress and no notes on stderr; errors are still reported]' \
                '*--help[explain the command]' \
                '*-h[explain the command]' \
                '*:result:_files -g "*.(csv|fbr|json)"'
            ;;
        convert)
            _arguments \
                '*--output[the new file; its ending is the format\: .csv, .fbr, .mat, .npz, .parquet]:PATH:_files' \
                '*-o[the new file; its ending is the format\: .csv, .fbr, .mat, .npz, .parquet]:PATH:_files' \
                '*--quiet[no progress and no notes on stderr; errors are still reported]' \
                '*-q[no progress and no notes on stderr; errors are still reported]' \
                '*--help[explain the command]' \
                '*-h[explain the command]' \
                '*:result:_files -g "*.(csv|fbr|json)"'
            ;;
        reduce)
            _arguments \
                '*--set[override a parameter of the model; VALUE may be an expression with a unit; repeatable]:NAME=VALUE: ' \
                '*--size-limit[accept models up to X times the limits of size in the reference, at most 10, or reject those above a fraction of them (default\: 1)]:X: ' \
                '*--mpi[share the matrices among the processes of mpirun; needs PETSc and SLEPc]' \
                '*--output[folder for the matrices and NAME.yaml of each structure]:PATH:_files' \
                '*-o[folder for the matrices and NAME.yaml of each structure]:PATH:_files' \
                '*--json[print exactly one JSON document on stdout]' \
                '*--quiet[no progress and no notes on stderr; errors are still reported]' \
                '*-q[no progress and no notes on stderr; errors are still reported]' \
                '*--help[explain the command]' \
                '*-h[explain the command]' \
                '*:model:_files -g "*.(yaml|yml|json)"'
            ;;
        integrators)
            _arguments \
                '*--json[print exactly one JSON document on stdout]' \
                '*--help[explain the command]' \
                '*-h[explain the command]'
            ;;
        schema)
            _arguments \
                '*--markdown[print the reference manual instead]' \
                '*--study[describe the study file instead of the model file]' \
                '*--output[file instead of stdout]:PATH:_files' \
                '*-o[file instead of stdout]:PATH:_files' \
                '*--help[explain the command]' \
                '*-h[explain the command]'
            ;;
        explain)
            _arguments \
                '*--json[print exactly one JSON document on stdout]' \
                '*--help[explain the command]' \
                '*-h[explain the command]'
            ;;
        help)
            _arguments \
                '*--json[print exactly one JSON document on stdout]' \
                '*--help[explain the command]' \
                '*-h[explain the command]' \
                '1:command:(${commands%%:*})'
            ;;
    esac
}
_flyball "$@"
