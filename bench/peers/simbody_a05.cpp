// The governor A05 in Simbody: the loosest accuracy of its stiff integrator (CPodes, BDF) that keeps the
// limit of 1e-5, and the CPU time of that run.
//     simbody_a05 REFERENCE.csv     prints: CPU seconds, error, accuracy
#include <Simbody.h>

#include <cmath>
#include <cstdio>
#include <ctime>
#include <vector>

using namespace SimTK;

namespace {

const double LIMIT = 1e-5, STEP = 0.1;

double cpu_time() {
    timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return double(t.tv_sec) + 1e-9 * double(t.tv_nsec);
}

std::vector<double> read_heights(const char* path) {
    std::vector<double> heights;
    FILE* file = std::fopen(path, "r");
    char line[256];
    double t, s;
    while (file && std::fgets(line, sizeof line, file)) {
        if (std::sscanf(line, "%lf,%lf", &t, &s) == 2) {
            heights.push_back(s);
        }
    }
    if (file) {
        std::fclose(file);
    }
    return heights;
}

Inertia box(double mass, double x, double y, double z) {
    return Inertia(mass * (y * y + z * z) / 12, mass * (x * x + z * z) / 12, mass * (x * x + y * y) / 12);
}

// An arm along +x (side 1) or -x (side -1) with a ball at its end, about its pivot.
MassProperties arm(double side) {
    const double mass = 0.3, ball = 5.0;
    Vec3 middle(0.5 * side, 0, 0), end(side, 0, 0), center = (mass * middle + ball * end) / (mass + ball);
    Inertia about = box(mass, 1, 0.01, 0.01).shiftFromMassCenter(middle, mass) + Inertia(end, ball);
    return MassProperties(mass + ball, center, about);
}

struct Governor {
    MultibodySystem system;
    SimbodyMatterSubsystem matter;
    GeneralForceSubsystem forces;
    MobilizedBody::Slider slide;
    Governor() : matter(system), forces(system) {
        const double beta = Pi / 6;
        Force::UniformGravity(forces, matter, Vec3(0, 0, -9.81));
        MassProperties shaft_mass(0.3, Vec3(0, 0, 0.5), box(0.3, 0.01, 0.01, 1).shiftFromMassCenter(Vec3(0, 0, 0.5), 0.3));
        MobilizedBody::Pin shaft(matter.Ground(), Transform(), Body::Rigid(shaft_mass), Transform());
        shaft.setDefaultAngle(0);
        // A slider moves along x: its frames are turned so that this is up.
        Transform up(Rotation(-Pi / 2, YAxis));
        slide = MobilizedBody::Slider(shaft, up, Body::Rigid(MassProperties(3, Vec3(0), box(3, 0.1, 0.1, 0.1))), up);
        // A pin turns about z: frames with z along y and along -y, so that both arms swing down.
        for (int side = 1; side >= -1; side -= 2) {
            Rotation axis(-side * Pi / 2, XAxis);
            MobilizedBody::Pin swing(shaft, Transform(axis, Vec3(0.05 * side, 0, 1)), Body::Rigid(arm(side)), Transform(axis));
            swing.setDefaultAngle(beta);
            Force::TwoPointLinearSpring(forces, slide, Vec3(0.05 * side, 0, 0), swing, Vec3(0.5 * side, 0, 0), 8e5, 0.5);
            Force::TwoPointLinearDamper(forces, slide, Vec3(0.05 * side, 0, 0), swing, Vec3(0.5 * side, 0, 0), 4e4);
        }
        system.realizeTopology();
    }
};

// Relative rms error of the slider's height; NaN where the integrator gives up.
double run(Governor& g, double accuracy, const std::vector<double>& reference) {
    State state = g.system.getDefaultState();
    g.slide.setLength(state, 0.5);
    state.updU()[0] = 2 * Pi;
    CPodesIntegrator integrator(g.system, CPodes::BDF);
    integrator.setAccuracy(accuracy);
    integrator.setReturnEveryInternalStep(false);
    TimeStepper stepper(g.system, integrator);
    stepper.initialize(state);
    double sum = 0;
    for (size_t i = 0; i < reference.size(); i++) {
        stepper.stepTo(STEP * double(i));
        double e = (g.slide.getLength(integrator.getState()) - reference[i]) / reference[i];
        sum += e * e;
    }
    return std::sqrt(sum / double(reference.size()));
}

}  // namespace

int main(int argc, char** argv) {
    std::vector<double> reference = argc == 2 ? read_heights(argv[1]) : std::vector<double>();
    if (reference.size() != 101) {
        std::fprintf(stderr, "usage: simbody_a05 REFERENCE.csv, with 101 rows\n");
        return 2;
    }
    Governor governor;
    for (double accuracy = 1e-3; accuracy > 1e-12; accuracy *= 0.31622776601683794) {
        try {
            double start = cpu_time();
            double error = run(governor, accuracy, reference);
            double cpu = cpu_time() - start;
            if (error <= LIMIT) {
                std::printf("%.9g %.3g %.3g\n", cpu, error, accuracy);
                return 0;
            }
        } catch (const std::exception&) {  // too loose to find its way
        }
    }
    std::fprintf(stderr, "no accuracy keeps the limit\n");
    return 1;
}
